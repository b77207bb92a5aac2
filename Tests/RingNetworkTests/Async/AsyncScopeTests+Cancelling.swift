import Glibc
import RingDispatch
import RingNetwork
import Testing

// Cancelling the task of a server or a client.
extension AsyncScopeTests {
    @Test("Cancelling the server resets its clients, and run returns")
    func cancelling() async throws {
        let errors = Watched<[String]>([])
        let (listener, server) = try serve { client in
            do {
                try await client.send([7])
                try await echoArrays(client)
            } catch {
                errors.append("\(error)")
                throw error
            }
        }
        let wires = (0..<5).map { _ in Wire.connect(to: listener.port) }
        for wire in wires { #expect(wire.receive(1) == [7]) }
        server.cancel()
        try await server.value
        #expect(errors.value == Array(repeating: "\(CancellationError())", count: 5))
        for wire in wires { #expect(wire.receiveEnd() == ECONNRESET) }
        #expect(poll { listener.queue.sync { listener.connections.isEmpty } })
    }

    @Test("Cancelling during a shutdown ends the waits with CancellationError, too")
    func cancellingShutdown() async throws {
        let errors = Watched<[String]>([])
        let (listener, server) = try serve { client in
            do {
                try await client.send([7])
                try await withTaskCancellationHandler {
                    _ = try await client.receive(exactly: 2)
                } onCancel: {
                    // The next client is cancelled later.
                    letTimePass(milliseconds: 2)
                }
            } catch {
                errors.append("\(error)")
            }
        }
        let wires = (0..<10).map { _ in Wire.connect(to: listener.port) }
        for wire in wires {
            #expect(wire.receive(1) == [7])
            #expect(wire.send([1]))
        }
        #expect(
            poll {
                listener.queue.sync { listener.connections }.allSatisfy { connection in
                    connection.queue.sync { connection.statistics.bytesReceived == 1 }
                }
            })
        listener.shutdown(deadline: .distantFuture) { _ in }
        // After the listener has closed.
        listener.queue.async { server.cancel() }
        try await server.value
        #expect(errors.value == Array(repeating: "\(CancellationError())", count: 10))
        for wire in wires { wire.close() }
    }

    @Test("A handler that cancels its own task cannot wait any more, and its client is reset")
    func selfCancelling() async throws {
        let failures = Watched(0)
        let (listener, server) = try serve { client in
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await client.receive() }
            await #expect(throws: CancellationError.self) { try await client.send([1]) }
            failures.increment()
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.receiveEnd() == ECONNRESET)
        expectEventually(failures) { $0 == 1 }
        server.cancel()
        try await server.value
    }

    @Test("Cancelling ends the waits of tasks that are not the connection's children, too")
    func cancellingOthers() async throws {
        let errors = Watched<[String]>([])
        let (listener, server) = try serve { client in
            let other = Task {
                do {
                    try await client.send([1])
                    _ = try await client.receive()
                } catch {
                    errors.append("\(error)")
                }
            }
            try? await Task.sleep(for: .seconds(60))
            // The owner ends before the connection has ended the other wait.
            errors.append("owner")
            _ = consume other
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.receive(1) == [1])
        letTimePass(milliseconds: 5)
        server.cancel()
        try await server.value
        expectEventually(errors) { $0.count == 2 }
        #expect(errors.value.contains("\(CancellationError())"))
        #expect(wire.receiveEnd() == ECONNRESET)
    }

    @Test("Cancelling at any point leaks no connection and no descriptor")
    func cancellingAnywhere() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let listener = try makeAsyncListener()
            let server = ownTask { await listener.run { try await echoArrays($0) } }
            let endpoint = listener.endpoint
            func exchange(cancelledAfter microseconds: Int?) async {
                let task = ownTask {
                    try await Connector.shared.withConnection(to: endpoint) { server in
                        for size in [1, 10_000, 400_000] {
                            try await server.send(patterned(size))
                            _ = try await server.receive(exactly: size)
                        }
                    }
                }
                if let microseconds {
                    let end = ContinuousClock.now + .microseconds(microseconds)
                    while ContinuousClock.now < end {}
                    task.cancel()
                }
                _ = await task.result
            }
            // The runtime opens some of its own descriptors only under load.
            for round in 0..<100 { await exchange(cancelledAfter: round % 2 == 0 ? nil : 100) }
            demand("connections") { listener.queue.sync { listener.connections.isEmpty } }
            letTasksHaveTheirDescriptors()
            let count = openDescriptorCount()
            for round in 0..<200 { await exchange(cancelledAfter: round * 10) }
            demand("connections") { listener.queue.sync { listener.connections.isEmpty } }
            demand("descriptors: \(openDescriptorCount()), not \(count)") {
                openDescriptorCount() <= count
            }
            server.cancel()
            try await server.value
        }
    }
}
