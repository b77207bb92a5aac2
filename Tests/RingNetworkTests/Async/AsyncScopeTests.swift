import Glibc
import RingDispatch
import RingNetwork
import Testing
#if TLS
import RingTLS
#endif

@Suite("Connections of tasks", .watchdog)
struct AsyncScopeTests {
    /// A server that runs until `end`, with its clients.
    func serve(
        _ configure: (inout ListenerOptions) -> Void = { _ in },
        _ handler: @escaping @Sendable (AsyncConnection) async throws -> Void
    ) throws -> (Listener, Task<Void, any Error>) {
        let listener = try makeAsyncListener(configure)
        return (listener, ownTask { await listener.run(handler) })
    }

    private struct Planned: Error {}

    // MARK: servers

    @Test("Many clients are echoed at once", arguments: [false, true])
    func echo(asSpans: Bool) async throws {
        let (listener, server) = try serve { client in
            if asSpans { try await echoSpans(client) } else { try await echoArrays(client) }
        }
        let endpoint = listener.endpoint
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await Connector.shared.withConnection(to: endpoint) { server in
                        for size in [1, 1000, 100_000] {
                            let bytes = patterned(size, seed: number)
                            try await server.send(bytes)
                            expectSame(try await server.receive(exactly: size), bytes)
                        }
                        server.closeOutput()
                        #expect(try await server.receive() == nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        listener.close()
        try await server.value
        #expect(poll { listener.queue.sync { listener.connections.isEmpty } })
    }

    #if TLS
    @Test("The same over TLS")
    func secured() async throws {
        let store = try TLSContextStore(serverConfiguration())
        let (listener, server) = try serve {
            $0.secure(store)
        } _: {
            try await echoArrays($0)
        }
        let connector = try makeSecuredConnector()
        try await connector.withConnection(to: listener.endpoint) { server in
            for size in [1, 1000, 300_000] {
                let bytes = patterned(size)
                try await server.send(bytes)
                expectSame(try await server.receive(exactly: size), bytes)
            }
            #expect(await server.tlsNegotiation != nil)
        }
        listener.close()
        try await server.value
    }
    #endif

    @Test("A handler that returns sends all its bytes; one that throws resets its connection")
    func leaving() async throws {
        let bytes = patterned(5_000_000)
        let (listener, server) = try serve { client in
            client.connection.send(bytes)
            if try await client.receive() == [1] { throw Planned() }
        }
        let good = Wire.connect(to: listener.port)
        #expect(good.send([0]))
        expectSame(good.receive(bytes.count), bytes)
        #expect(good.receiveEnd() == 0)
        let bad = Wire.connect(to: listener.port)
        #expect(bad.send([1]))
        while bad.receive(100_000).count == 100_000 {}
        #expect(bad.receiveEnd() == 0 || errno == ECONNRESET)
        // The listener goes on.
        let next = Wire.connect(to: listener.port)
        #expect(next.receive(10) == Array(bytes[..<10]))
        next.close()
        listener.close()
        try await server.value
    }

    @Test("A shutdown ends waits between messages, but not within one")
    func shuttingDown() async throws {
        let ends = Watched<[String]>([])
        let (listener, server) = try serve { client in
            for try await line in client.lines() {
                try await client.send("\(line)!\n")
            }
            ends.append(client.isShuttingDown ? "shutdown" : "end")
        }
        let idle = Wire.connect(to: listener.port)
        let busy = Wire.connect(to: listener.port)
        for wire in [idle, busy] {
            #expect(wire.send(Array("a\n".utf8)))
            #expect(wire.receive(3) == Array("a!\n".utf8))
        }
        #expect(busy.send(Array("b".utf8)))
        #expect(
            poll {
                listener.queue.sync { listener.connections }.contains { connection in
                    connection.queue.sync { connection.statistics.bytesReceived == 3 }
                }
            })
        let report = shutdown(listener, after: .seconds(1000))
        #expect(idle.receiveEnd() == 0)
        #expect(busy.send(Array("c\n".utf8)))
        #expect(busy.receive(4) == Array("bc!\n".utf8))
        #expect(busy.receiveEnd() == 0)
        #expect(report.wait()?.drained == 2)
        try await server.value
        #expect(ends.value == ["shutdown", "shutdown"])
    }

    /// The connection has received them, but has not handed them over.
    @Test("A shutdown loses no bytes that have arrived")
    func shuttingDownBehind() async throws {
        let received = Watched<[UInt8]>([])
        let (listener, server) = try serve {
            $0.connection.receiveMaximumBytes = 2
        } _: { client in
            while let bytes = try await client.receive() {
                received.update { $0 += bytes }
                while !client.isShuttingDown { try await Task.sleep(for: .milliseconds(1)) }
            }
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.send([1, 2, 3, 4, 5]))
        expectEventually(received) { $0 == [1, 2] }
        let report = shutdown(listener, after: .seconds(1000))
        #expect(wire.receiveEnd() == 0)
        #expect(received.value == [1, 2, 3, 4, 5])
        #expect(report.wait()?.drained == 1)
        try await server.value
    }

    @Test("A shutdown ends a wait for which too few bytes have arrived")
    func shuttingDownBelowMinimum() async throws {
        let (listener, server) = try serve {
            $0.connection.receiveMinimumBytes = 10
        } _: { client in
            while !client.isShuttingDown { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await client.receive() == nil)
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.send([1, 2, 3]))
        #expect(poll { listener.queue.sync { listener.connections.count == 1 } })
        let report = shutdown(listener, after: .seconds(1000))
        #expect([0, ECONNRESET].contains(wire.receiveEnd()))
        #expect(report.wait()?.drained == 1)
        try await server.value
    }

    @Test("At the deadline of a shutdown, clients that are not done are reset")
    func deadline() async throws {
        let (listener, server) = try serve { client in
            try await client.send([7])
            _ = try await client.receive(exactly: 10)
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.receive(1) == [7])
        let report = shutdown(listener, after: .milliseconds(20))
        #expect(wire.receiveEnd() == ECONNRESET)
        #expect(report.wait()?.aborted.count == 1)
        try await server.value
    }

    @Test("run of a closed listener returns; run of an active one is misuse")
    func misuse() async throws {
        let listener = try makeAsyncListener()
        stop(listener)
        await listener.run { _ in }
        let twice = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let listener = try makeAsyncListener()
            async let first: Void = listener.run { _ in }
            async let second: Void = listener.run { _ in }
            _ = await (first, second)
        }
        expectMessage(twice, naming: "run of listener")
    }

    @Test("A handler of a connection that a task has is misuse")
    func handlerInTask() async {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let listener = try makeAsyncListener()
            async let served: Void = listener.run { client in
                client.connection.setReceiveHandler { $0.send($1) }
            }
            let wire = Wire.connect(to: listener.port)
            await served
            wire.close()
        }
        expectMessage(result, naming: "use the methods of AsyncConnection")
    }

    // MARK: clients

    @Test("Leaving returns the closure's value; throwing resets the server's connection")
    func client() async throws {
        let outcome = Watched<[CloseReason?]>([])
        let (listener, server) = try serve { client in
            do {
                try await echoArrays(client)
                outcome.append(nil)
            } catch ReceiveError.closed(let reason) {
                outcome.append(reason)
            }
        }
        let value = try await Connector.shared.withConnection(to: listener.endpoint) { server in
            try await server.send([5])
            return try await server.receive()
        }
        #expect(value == [5])
        #expect(outcome.wait(seconds: Patience.seconds) { $0 == [nil] })
        await #expect(throws: Planned.self) {
            try await Connector.shared.withConnection(to: listener.endpoint) { server in
                try await server.send([5])
                _ = try await server.receive()
                throw Planned()
            }
        }
        #expect(outcome.wait(seconds: Patience.seconds) { $0.count == 2 })
        guard case .failed(let error) = outcome.value[1] else {
            Issue.record("\(outcome.value)")
            return
        }
        #expect(error.code == .connectionReset)
        listener.close()
        try await server.value
        await #expect(throws: ConnectError.self) {
            try await Connector.shared.withConnection(to: Endpoint("127.0.0.9:1")) { _ in }
        }
    }

    @Test("The closure of an actor keeps its isolation") @MainActor
    func isolation() async throws {
        let (listener, server) = try serve { try await echoArrays($0) }
        var count = 0
        try await Connector.shared.withConnection(to: listener.endpoint) { server in
            for _ in 0..<10 {
                MainActor.assertIsolated()
                try await server.send([1])
                count += try await server.receive()?.count ?? 0
            }
        }
        #expect(count == 10)
        listener.close()
        try await server.value
    }

    // MARK: sending

    @Test("A send waits above the high-water mark, and only there")
    func sending() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(3_000_000)
        let isSent = Watched(false)
        let task = ownTask {
            try await connection.run { client async throws in
                try await client.send([1])
                #expect(client.connection.isWritable)
                try await client.send(bytes)
                #expect(client.connection.isWritable)
                isSent.update { $0 = true }
            }
        }
        #expect(wire.receive(1) == [1])
        #expect(!isSent.value)
        expectSame(wire.receive(bytes.count), bytes)
        #expect(wire.receiveEnd() == 0)
        try await task.value
        #expect(isSent.value)
    }

    @Test("A send of which the peer can get nothing throws")
    func lost() async throws {
        let (wire, connection) = makeNewConnection()
        try await connection.run { client async throws in
            // A child of another test may have a copy of the descriptor, until it runs its program.
            shutdown(wire.descriptor, Int32(SHUT_RDWR))
            wire.close()
            await #expect(throws: SocketError.self) { try await client.send(patterned(100_000)) }
        }
    }

    @Test("A peer that has reset the connection before run is an error of the closure's calls")
    func lostEarly() async throws {
        let (descriptor, wire) = Wire.tcpPair()
        let connection = Connection(adopting: descriptor)
        wire.abort()
        connection.send([1, 2, 3])
        await #expect(throws: SocketError.self) {
            try await connection.run { client async throws in
                while true { try await client.send([4]) }
            }
        }
    }

    @Test("Leaving throws if an abort drops bytes of the end")
    func abortedEnd() async throws {
        let (wire, connection) = makeNewConnection()
        let hasSent = Gate()
        let task = ownTask {
            try await connection.run { client async throws in
                client.connection.send(patterned(5_000_000))
                hasSent.open()
            }
        }
        // Before, its state belongs to the task.
        expectOpens(hasSent)
        #expect(poll { connection.queue.sync { connection.state } == .closing })
        connection.abort()
        let error = await #expect(throws: SocketError.self) { try await task.value }
        #expect(error?.code == .brokenPipe)
        wire.close()
    }

    @Test("A peer that never reads holds a stated number of bytes up, until the task is cancelled")
    func slowPeer() async throws {
        let (wire, connection) = makeNewConnection()
        let sent = Watched(0)
        let task = ownTask {
            try await connection.run { client async throws in
                while true {
                    try await client.send(patterned(100_000))
                    sent.increment()
                }
            }
        }
        #expect(
            poll { connection.queue.sync { connection.unsentBytes } > 256 * 1024 })
        let count = sent.value
        letTimePass(milliseconds: 20)
        #expect(sent.value == count)
        #expect(connection.queue.sync { connection.unsentBytes } <= 256 * 1024 + 100_000)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(connection.queue.sync { connection.state } == .closed)
        wire.close()
    }

    @Test("Sends of files and data, and sends of a child task that is cancelled")
    func otherSends() async throws {
        let (wire, connection) = makeNewConnection()
        let folder = Folder()
        let bytes = patterned(1_000_000)
        let file = open(folder.makeFile("file", bytes), O_RDONLY | O_CLOEXEC)
        let reader = Outcome<[UInt8]>()
        _ = UserThread { reader.set(wire.receive(3_000_010)) }
        try await connection.run { client async throws in
            try await client.send(fileDescriptor: file, offset: 0, count: bytes.count)
            try await client.send(copied(patterned(10)))
            let task = ownTask { try await client.send(bytes) }
            task.cancel()
            _ = await task.result
            client.connection.send(bytes)
        }
        close(file)
        let received = try #require(reader.wait())
        expectSame(Array(received[..<1_000_010]), bytes + patterned(10))
    }

    @Test("Sends after the connection is closed throw the reason")
    func failedSends() async throws {
        let (wire, connection) = makeNewConnection()
        await #expect(throws: SocketError.self) {
            try await connection.run { client async throws in
                wire.close()
                while true { try await client.send(patterned(1000)) }
            }
        }
    }
}
