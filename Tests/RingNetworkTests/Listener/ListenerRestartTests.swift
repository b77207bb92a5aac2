import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Listeners whose process was killed", .watchdog)
struct ListenerRestartTests {
    /// Nothing of the killed process may keep the address: neither its connections, some of which
    /// have unsent bytes, nor its rings, which the kernel takes apart a moment later.
    @Test("A server can listen again at once after it was killed")
    func restart() async throws {
        // No other test uses this address, not even for its clients.
        let number = getpid()
        let address = IPv4Address(
            127, 77, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        let first = try Listener(.ipv4(address, port: 0))
        let endpoint = first.endpoint.description
        stop(first)
        for _ in 0..<5 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [endpoint = endpoint as String] in
                prepareForTrap()
                let listener = try Listener(Endpoint(endpoint))
                serveEcho(listener) { connection in
                    connection.setReceiveHandler { connection, bytes in
                        connection.send(bytes)
                        connection.send(patterned(10_000_000), completion: nil)
                    }
                }
                let clients = try (0..<16).map { _ in
                    Client(try Connector.shared.connection(to: listener.endpoint))
                }
                for client in clients {
                    client.connection.send([1])
                    expectEventually(client.received) { !$0.isEmpty }
                    client.connection.pauseReceiving()
                }
                kill(getpid(), SIGKILL)
            }
        }
        stop(try Listener(Endpoint(endpoint)))
    }
}
