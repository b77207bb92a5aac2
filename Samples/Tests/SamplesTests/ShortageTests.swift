import Glibc
import Testing

/// Too few descriptors for those who come: the servers serve whom they can, do not spin, and
/// recover.
@Suite("Shortage of descriptors", .ownThread, .serialized)
struct ShortageTests {
    /// Two loops' rings and what else a server has, and room for some clients but not for all.
    static let descriptors = 40
    static let clients = 60
    static let environment = ["RINGDISPATCH_LOOPS=2"]

    @Test("EchoServer turns away whom it cannot serve", arguments: Setting.usable)
    func echoServer(setting: Setting) throws {
        try withServer(
            .echoServer, setting, environment: Self.environment, descriptors: Self.descriptors
        ) { server in
            let clients = try Self.connectAll(to: server)
            var served: [Client] = []
            for client in clients {
                // Every client learns where it is at: no one hangs.
                switch try client.receiveSome(until: Deadline()) {
                case .bytes: served.append(client)
                case .end, .reset: client.close()
                case .nothing: throw Trouble("a client was neither served nor refused")
                }
            }
            #expect(served.count >= 4)
            #expect(served.count < Self.clients)
            try Self.expectCalm(server)
            try Self.expectEcho(served)
            #expect(server.process.errors.text.contains("a higher ulimit -n than"))

            for client in served { client.close() }
            try Self.expectRecovery(server)
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(" connections refused\n"))
        }
    }

    @Test("GCDEcho serves the others when some have left", arguments: Setting.usable)
    func gcdEcho(setting: Setting) throws {
        try withServer(
            .gcdEcho, setting, environment: Self.environment, descriptors: Self.descriptors
        ) { server in
            let clients = try Self.connectAll(to: server)
            guard case .bytes = try clients[0].receiveSome(until: Deadline()) else {
                throw Trouble("the first client is not served")
            }
            try Self.expectCalm(server)
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

    /// All connect, since the system takes them for the server, and each says one byte.
    private static func connectAll(to server: EchoProcess) throws -> [Client] {
        let clients = try (0..<Self.clients).map { _ in try server.connect() }
        for client in clients {
            // One that is turned away already gets an error here, and an end when it reads.
            _ = try? client.send([42])
        }
        return clients
    }

    /// Pausing means waiting, not asking again and again.
    private static func expectCalm(_ server: EchoProcess) throws {
        let milliseconds: UInt32 = 500
        let before = try ProcessInformation.processorNanoseconds(server.process.processID)
        letPass(milliseconds: milliseconds)
        let spent = try ProcessInformation.processorNanoseconds(server.process.processID) - before
        #expect(spent < UInt64(milliseconds) * 1_000_000 / 10, "\(spent) ns in \(milliseconds) ms")
    }

    private static func expectEcho(_ clients: [Client]) throws {
        let bytes = patternBytes(2000)
        for client in clients {
            try client.send(bytes)
            #expect(difference(try client.receive(count: bytes.count), from: bytes) == nil)
        }
    }

    /// A newcomer is served at last; those who come while the server still closes are turned away.
    private static func expectRecovery(_ server: EchoProcess) throws {
        let deadline = Deadline()
        while !deadline.isOver {
            let client = try server.connect()
            _ = try? client.send([42])
            if case .bytes([42]) = try client.receiveSome(until: deadline) { return }
        }
        throw Trouble("nobody is served though all have left")
    }
}
