import RingDispatch
import RingNetwork
import Testing
#if TLS
import RingTLS
#endif

@Suite("Where tasks with connections run", .watchdog)
struct AsyncPlacementTests {
    /// It is on the connection's queue at first, but goes on elsewhere after a wait.
    @Test("A task that starts on the queue without preferring it may send and receive")
    func immediate() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(3_000_000)
        let task = ownTask {
            try await connection.run { client async throws in
                let started = await withCheckedContinuation { continuation in
                    client.connection.queue.async {
                        continuation.resume(
                            returning: Task.immediate {
                                try await client.send(bytes)
                                return try await client.receive(exactly: 2)
                            })
                    }
                }
                #expect(try await started.value == [1, 2])
            }
        }
        expectSame(wire.receive(bytes.count), bytes)
        #expect(wire.send([1, 2]))
        #expect(wire.receiveEnd() == 0)
        try await task.value
    }

    private actor Echo {
        private(set) var count = 0
        func serve(_ client: AsyncConnection) async throws {
            while let bytes = try await client.receive() {
                count += bytes.count
                try await client.send(bytes)
            }
        }
    }

    @Test("An actor may serve several connections")
    func actorServes() async throws {
        let (echo, listener) = (Echo(), try makeAsyncListener())
        let server = ownTask { await listener.run { try await echo.serve($0) } }
        let endpoint = listener.endpoint
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await Connector.shared.withConnection(to: endpoint) { server in
                        for size in 1...100 {
                            let bytes = patterned(size, seed: number)
                            try await server.send(bytes)
                            expectSame(try await server.receive(exactly: size), bytes)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await echo.count == 8 * 5050)
        listener.close()
        try await server.value
    }

    @Test("A span's body runs in the task, and in the isolation of its actor") @MainActor
    func spanOfActor() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(100_000)
        feed(wire, bytes, pieces: 999)
        var all: [UInt8] = []
        try await AsyncPlacementTests.$name.withValue("main") {
            try await connection.run { client in
                while try await client.receive({
                    MainActor.assertIsolated()
                    #expect(AsyncPlacementTests.name == "main")
                    $0.withUnsafeBytes { all += Array($0) }
                }) {}
            }
        }
        expectSame(all, bytes)
    }

    @TaskLocal private static var name = ""

    @Test("A span's body may block, and ends its connection's wait")
    func spanOfTask() async throws {
        let listener = try makeAsyncListener()
        let bytes = patterned(300_000)
        let server = ownTask {
            await listener.run { client in
                try await AsyncPlacementTests.$name.withValue("\(client.connection.queue.label)") {
                    let name = AsyncPlacementTests.name
                    while try await client.receive({
                        #expect(AsyncPlacementTests.name == name)
                        dispatchPrecondition(condition: .onQueue(client.connection.queue))
                        letTimePass(milliseconds: 1)
                        client.connection.send($0)
                    }) {}
                }
            }
        }
        try await Connector.shared.withConnection(to: listener.endpoint) { server in
            try await server.send(bytes)
            expectSame(try await server.receive(exactly: bytes.count), bytes)
        }
        listener.close()
        try await server.value
    }

    #if TLS
    private typealias Secured = (negotiation: TLSNegotiation?, certificates: [[UInt8]])

    /// Asks on the queue.
    @Sendable
    private func secured(_ peer: AsyncConnection) async throws -> Secured {
        _ = try await peer.receive(exactly: 1)
        return (await peer.tlsNegotiation, await peer.peerCertificateChain)
    }

    /// Asks on the main thread.
    @MainActor
    private func securedOnMain(_ peer: AsyncConnection) async throws -> Secured {
        _ = try await peer.receive(exactly: 1)
        return (await peer.tlsNegotiation, await peer.peerCertificateChain)
    }

    @Test("A task may ask what TLS has negotiated, on the queue and in an actor")
    func negotiation() async throws {
        let tls = try TLSContextStore(serverConfiguration())
        let listener = try makeAsyncListener { $0.secure(tls) }
        let server = ownTask {
            await listener.run { client in
                try await client.send([1])
                _ = try await client.receive()
                #expect(await client.tlsNegotiation?.serverName == "localhost")
            }
        }
        let connector = try makeSecuredConnector()
        for isOnMain in [false, true] {
            let found = try await connector.withConnection(to: listener.endpoint) { server in
                isOnMain ? try await securedOnMain(server) : try await secured(server)
            }
            #expect(found.negotiation?.version == .tls13)
            #expect(found.certificates == [TestIdentities.server.der])
        }
        listener.close()
        try await server.value
    }
    #endif

    #if compiler(>=6.3) && compiler(<6.4)
    private actor Counter {
        private var count = 0
        func increment() -> Int {
            count += 1
            return count
        }
    }

    @Test("An actor serves its callers while a handler of one caller's connection blocks")
    func actorBehindHandler() async throws {
        let counter = Counter()
        let release = DispatchSemaphore(value: 0)
        let isBlocked = Watched(false)
        let (wire, connection) = makeNewConnection()
        let task = ownTask {
            try await connection.run { client async throws in
                // Behind this one in the queue, the task calls the actor.
                client.connection.queue.async {
                    isBlocked.update { $0 = true }
                    release.wait()
                }
                return await counter.increment()
            }
        }
        expectEventually(isBlocked) { $0 }
        let other = ownTask { await counter.increment() }
        // The first call is done, or not: it never keeps the second one waiting.
        #expect([1, 2].contains(try await other.value))
        release.signal()
        #expect([1, 2].contains(try await task.value))
        #expect(wire.receiveEnd() == 0)
    }
    #endif
}
