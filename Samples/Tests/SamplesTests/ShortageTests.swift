import Glibc
import Testing

/// Too few descriptors for all clients: the servers serve some, do not spin, and recover.
@Suite("Shortage of descriptors", .watchdog)
struct ShortageTests {
    /// Enough for two loops' rings, a server's other descriptors and some clients, but not for all.
    static let descriptors = 40
    static let clients = 60
    static let loops = 2
    static let environment = ["RINGDISPATCH_LOOPS=\(loops)"]

    @Test("EchoServer refuses clients that it cannot serve", arguments: Setting.usable)
    func echoServer(setting: Setting) throws {
        try withServer(
            .echoServer, setting, environment: Self.environment, descriptors: Self.descriptors
        ) { server in
            // A loop that made its ring later might take the descriptor that refuses clients.
            let rings = try ProcessInformation.rings(server.process.processID)
            #expect(rings == (setting == .ioUring ? Self.loops : 0))

            let clients = Self.connectAll(to: server)
            var served: [Client] = []
            for client in clients {
                // Every client is served or refused; none hangs.
                switch try client.receiveSome(until: Deadline()) {
                case .bytes: served.append(client)
                case .end, .reset: client.close()
                case .nothing: throw Trouble("a client was neither served nor refused")
                }
            }
            #expect(served.count >= 4)
            #expect(served.count < Self.clients)
            // A pause sleeps instead of polling.
            try server.waitUntilCalm()
            try Self.expectEcho(served)
            try server.process.errors.wait(for: "EchoServer: cannot accept at 127.0.0.1:")
            try server.process.errors.wait(for: "raise RLIMIT_NOFILE (ulimit -n)")

            for client in served { client.close() }
            try Self.expectRecovery(server)
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(" connections refused\n"))
        }
    }

    @Test("GCDEcho serves the waiting clients when others have left", arguments: Setting.usable)
    func gcdEcho(setting: Setting) throws {
        try withServer(
            .gcdEcho, setting, environment: Self.environment, descriptors: Self.descriptors
        ) { server in
            let clients = Self.connectAll(to: server)
            guard case .bytes = try clients[0].receiveSome(until: Deadline()) else {
                throw Trouble("the first client is not served")
            }
            // A pause sleeps instead of polling.
            try server.waitUntilCalm()
            var served = [clients[0]]
            var waiting: [Client] = []
            for client in clients.dropFirst() {
                let received = try client.receiveSome(until: Deadline(afterMilliseconds: 0))
                if received == .nothing { waiting.append(client) } else { served.append(client) }
            }
            #expect(served.count >= 4)
            #expect(!waiting.isEmpty)
            try Self.expectEcho(served)

            for client in served { client.close() }
            for client in waiting {
                #expect(try client.receive(count: 1) == [42])
                client.close()
            }
            try Self.expectRecovery(server)
        }
    }

    /// All clients connect, since the kernel accepts for the server, and each sends one byte.
    private static func connectAll(to server: EchoProcess) -> [Client] {
        // A refusal may reach a client while it connects.
        let clients = (0..<Self.clients).compactMap { _ in try? server.connect() }
        for client in clients {
            // A client that was already refused gets an error here, and the end when it reads.
            _ = try? client.send([42])
        }
        return clients
    }

    private static func expectEcho(_ clients: [Client]) throws {
        let bytes = patternBytes(2000)
        for client in clients {
            try client.send(bytes)
            #expect(difference(try client.receive(count: bytes.count), from: bytes) == nil)
        }
    }

    /// A new client is served eventually; clients that arrive while the server still closes others
    /// are refused.
    private static func expectRecovery(_ server: EchoProcess) throws {
        let deadline = Deadline()
        while !deadline.isOver {
            guard let client = try? server.connect() else { continue }
            _ = try? client.send([42])
            if case .bytes([42]) = try client.receiveSome(until: deadline) { return }
        }
        throw Trouble("no client is served though all others have left")
    }
}
