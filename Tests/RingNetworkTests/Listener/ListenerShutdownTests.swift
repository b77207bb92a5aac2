import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Shutting listeners down", .watchdog)
struct ListenerShutdownTests {
    /// In a process that starts no other, because each fork holds all descriptors until its exec.
    @Test("Without connections it is done at once, and the address is free")
    func idle() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            // An abstract name, which no other test uses.
            let name = try UnixAddress(abstractName: makeSocketPath())
            let listener = try makeEchoListener(.unix(name))
            #expect(shutdown(listener, after: .seconds(1000)).wait() == ShutdownReport())
            let next = try Listener(listener.endpoint)
            stop(next)
            // Again, and of one that was never activated.
            #expect(shutdown(listener, after: .seconds(1000)).wait() == ShutdownReport())
            let unused = try Listener(.ipv4(.loopback, port: 0))
            #expect(shutdown(unused, after: .seconds(1000)).wait() == ShutdownReport())
        }
    }

    @Test("Handlers run on the queue, also of a listener that was never activated")
    func onTheQueue() throws {
        let (closed, done) = (Gate(), Gate())
        let listener = try Listener(.ipv4(.loopback, port: 0))
        listener.close { listener in
            dispatchPrecondition(condition: .onQueue(listener.queue))
            #expect(listener.counters.accepted == 0)
            closed.open()
        }
        let other = try Listener(.ipv4(.loopback, port: 0))
        other.shutdown(deadline: .distantFuture) { [queue = other.queue] _ in
            dispatchPrecondition(condition: .onQueue(queue))
            done.open()
        }
        expectOpens(closed)
        expectOpens(done)
    }

    @Test("Connections close once the kernel has taken all bytes")
    func drains() throws {
        let bytes = [UInt8](repeating: 9, count: 5_000_000)
        let listener = try makeListener {
            $0.connection.timeouts.send = .never
        } handler: { connection in
            connection.setReceiveHandler { connection, _ in connection.send(bytes) }
        }
        let wires = (0..<3).map { _ in Wire.connect(to: listener.port) }
        for wire in wires {
            #expect(wire.send([1]))
            #expect(wire.receive(1000) == Array(bytes[..<1000]))
        }
        let report = shutdown(listener, after: .seconds(1000))
        for wire in wires {
            expectSame(wire.receive(bytes.count - 1000), Array(bytes[1000...]))
            #expect(wire.receiveEnd() == 0)
        }
        #expect(report.wait()?.drained == 3)
        #expect(report.wait()?.aborted.isEmpty == true)
    }

    @Test("Connections may be activated elsewhere while their listener shuts down")
    func activatedElsewhere() throws {
        for round in 0..<(isDeep ? 1000 : 100) {
            let listener = try Listener(.ipv4(.loopback, port: 0))
            listener.setConnectionHandler { connection in
                DispatchQueue.global().async {
                    connection.setReceiveHandler { $0.send($1) }
                    connection.activate()
                }
            }
            listener.activate()
            let wires = (0..<4).map { _ in Wire.connect(to: listener.port) }
            for _ in 0..<round % 7 { sched_yield() }
            let report = shutdown(listener, after: .milliseconds(round % 3))
            #expect(report.wait() != nil)
            for wire in wires { wire.close() }
        }
    }

    /// A listener that shuts down, and a connection that it has accepted, not activated.
    private func connectionAfterShutdown(
        _ deadline: DispatchTimeInterval
    ) throws -> (Wire, Connection, report: Outcome<ShutdownReport>, closed: Outcome<CloseReason>) {
        let accepted = Outcome<Connection>()
        let listener = try Listener(.ipv4(.loopback, port: 0))
        listener.setConnectionHandler { accepted.set($0) }
        listener.activate()
        let wire = Wire.connect(to: listener.port)
        let connection = try #require(accepted.wait())
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        let report = shutdown(listener, after: deadline)
        drain(listener.queue)
        return (wire, connection, report, closed)
    }

    @Test("A connection that is activated during the shutdown drains", arguments: [false, true])
    func activatedLater(hasHandler: Bool) throws {
        let (wire, connection, report, closed) = try connectionAfterShutdown(.seconds(1000))
        if hasHandler { connection.setDrainHandler { $0.send([8]) } }
        connection.activate()
        if hasHandler {
            #expect(wire.receive(1) == [8])
            connection.close()
        }
        #expect(wire.receiveEnd() == 0)
        #expect(closed.wait() == .closed)
        #expect(report.wait()?.drained == 1)
    }

    @Test("A connection that is activated after the deadline is reset")
    func activatedTooLate() throws {
        let (wire, connection, report, closed) = try connectionAfterShutdown(.nanoseconds(0))
        #expect(report.wait()?.unfinished == 1)
        connection.activate()
        #expect(closed.wait() == .aborted)
        #expect(wire.receiveEnd() == ECONNRESET)
    }

    @Test("A drain handler finishes its request")
    func drainHandler() throws {
        let listener = try makeListener { connection in
            connection.setReceiveHandler { connection, span in
                connection.send(span)
                // The protocol's last message.
                if span.withUnsafeBytes({ $0.last }) == 9 { connection.close() }
            }
            connection.setDrainHandler { $0.send([8]) }
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        let report = shutdown(listener, after: .seconds(1000))
        #expect(wire.receive(1) == [8])
        #expect(wire.echoes([2]))
        #expect(wire.echoes([9]))
        #expect(wire.receiveEnd() == 0)
        #expect(report.wait()?.drained == 1)
    }

    @Test("Connections left at the deadline are reset and reported")
    func cuts() throws {
        let count = 8_000_000
        let listener = try makeListener {
            $0.connection.timeouts.send = .never
        } handler: { connection in
            connection.setReceiveHandler { connection, _ in
                connection.send([UInt8](repeating: 1, count: count))
            }
        }
        let slow = Wire.connect(to: listener.port)
        let quick = Wire.connect(to: listener.port)
        #expect(slow.send([1]))
        #expect(slow.receive(10).count == 10)
        // Until then the other connection is in the backlog, where the listener cannot drain it.
        #expect(poll { listener.queue.sync { listener.connections.count } == 2 })
        let report = shutdown(listener, after: .seconds(1000))
        #expect(quick.receiveEnd() == 0)
        // The deadline is after all drains have finished.
        #expect(poll { listener.queue.sync { listener.connections.count } == 1 })
        _ = shutdown(listener, after: .milliseconds(1))
        let end = try #require(report.wait())
        #expect(end.drained == 1)
        #expect(end.aborted.count == 1)
        let cut = try #require(end.aborted.first)
        #expect(cut.endpoint?.ipAddress == .v4(.loopback))
        #expect(cut.unsentBytes > 0 && cut.unsentBytes < count)
        #expect(cut.unconfirmedBytes > 0)
        #expect(end.unfinished == 0)
        let rest = slow.receive(count)
        #expect(rest.count < count - 10)
    }

    @Test("A second call may shorten the deadline, but not extend it")
    func twice() throws {
        let listener = try makeListener { $0.setDrainHandler { _ in } }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        let first = shutdown(listener, after: .seconds(1000))
        let later = shutdown(listener, after: .seconds(2000))
        // It goes on meanwhile.
        #expect(wire.echoes([2]))
        let sooner = shutdown(listener, after: .milliseconds(1))
        for outcome in [first, later, sooner] {
            #expect(outcome.wait()?.aborted.count == 1)
        }
        #expect(wire.receiveEnd() == ECONNRESET)
    }

    @Test("A handler that does not return does not delay the report")
    func stuck() throws {
        let gate = Gate()
        let entered = Gate()
        let listener = try makeListener { connection in
            connection.setReceiveHandler { _, _ in
                entered.open()
                gate.pass()
            }
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.send([1]))
        expectOpens(entered)
        let report = shutdown(listener, after: .milliseconds(1)).wait()
        #expect(report?.unfinished == 1)
        gate.open()
        let end = wire.receiveEnd()
        #expect(end == 0 || end == ECONNRESET)
    }

    @Test("A task can wait for the shutdown")
    func task() async throws {
        let listener = try makeEchoListener()
        let connection = try await Connector.shared.connect(to: listener.endpoint)
        let client = Client(connection)
        #expect(client.echoes([1]))
        let report = await listener.shutdown(deadline: .now() + .seconds(1000))
        #expect(report.drained == 1)
        #expect(client.closed.wait() == .ended)
    }
}
