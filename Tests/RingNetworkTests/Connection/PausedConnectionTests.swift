import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connections that are paused", .watchdog)
struct PausedConnectionTests {
    /// When the connection was paused.
    enum Moment: CaseIterable {
        case beforeItsActivation
        case afterItsFirstBytes
    }

    /// A paused connection over TCP, and its peer. `received` gets the bytes that come later.
    private func pausedConnection(
        _ moment: Moment
    ) throws -> (Wire, Connection, received: Watched<[UInt8]>, closed: Outcome<CloseReason>) {
        let received = Watched<[UInt8]>([])
        let closed = Outcome<CloseReason>()
        let accepted = Outcome<Connection>()
        let listener = try Listener(.ipv4(.loopback, port: 0))
        listener.setConnectionHandler { connection in
            connection.setReceiveHandler { connection, span in
                let bytes = span.withUnsafeBytes { Array($0) }
                if bytes == [0] { connection.pauseReceiving() }
                received.update { $0 += bytes }
            }
            connection.setCloseHandler { closed.set($1) }
            if moment == .beforeItsActivation { connection.pauseReceiving() }
            connection.activate()
            accepted.set(connection)
        }
        listener.activate()
        let wire = Wire.connect(to: listener.port)
        let connection = try #require(accepted.wait())
        if moment == .afterItsFirstBytes {
            #expect(wire.send([0]))
            expectEventually(received) { $0 == [0] }
            received.update { $0 = [] }
        }
        connection.queue.sync {}
        listener.close { _ in }
        return (wire, connection, received, closed)
    }

    private func expectReset(
        _ closed: Outcome<CloseReason>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let reason = closed.wait(sourceLocation: sourceLocation)
        guard case .failed(let error) = reason else {
            Issue.record("\(String(describing: reason))", sourceLocation: sourceLocation)
            return
        }
        #expect(error.code == .connectionReset, sourceLocation: sourceLocation)
    }

    @Test("A reset ends one at once if no bytes wait", arguments: Moment.allCases)
    func reset(_ moment: Moment) throws {
        let (wire, _, received, closed) = try pausedConnection(moment)
        wire.abort()
        expectReset(closed)
        #expect(received.value == [])
    }

    @Test(
        "Bytes before a reset are received on resuming, then the error", arguments: Moment.allCases)
    func resetAfterBytes(_ moment: Moment) throws {
        let (wire, connection, received, closed) = try pausedConnection(moment)
        let isClosed = Watched(false)
        connection.setCloseHandler {
            closed.set($1)
            isClosed.update { $0 = true }
        }
        #expect(wire.send([1, 2, 3]))
        wire.abort()
        expectStays(isClosed, at: false)
        #expect(received.value == [])
        connection.resumeReceiving()
        expectReset(closed)
        #expect(received.value == [1, 2, 3])
    }

    @Test("A peer's end is reported on resuming, not before", arguments: Moment.allCases)
    func halfClose(_ moment: Moment) throws {
        let (wire, connection, _, closed) = try pausedConnection(moment)
        let ends = Watched(0)
        connection.setEndHandler { connection in
            ends.increment()
            connection.close()
        }
        wire.closeOutput()
        expectStays(ends, at: 0)
        // It is open, and sends.
        connection.send([7])
        #expect(wire.receive(1) == [7])
        #expect(ends.value == 0)
        connection.resumeReceiving()
        #expect(closed.wait() == .closed)
        #expect(ends.value == 1)
    }

    @Test("A reset after the peer's end, with nothing to read, ends one at once")
    func resetAfterEnd() throws {
        let (wire, connection, _, closed) = try pausedConnection(.afterItsFirstBytes)
        wire.closeOutput()
        connection.send([7])
        #expect(wire.receive(1) == [7])
        wire.abort()
        guard case .failed = closed.wait() else {
            Issue.record("\(String(describing: closed.wait()))")
            return
        }
    }

    @Test("A reset that arrives with bytes ends one that pauses after them")
    func resetWithBytes() throws {
        let (wire, connection, received, closed) = try pausedConnection(.afterItsFirstBytes)
        let hasLeft = Gate()
        connection.queue.async {
            hasLeft.pass()
            connection.resumeReceiving()
        }
        #expect(wire.send([0]))
        wire.abort()
        hasLeft.open()
        expectReset(closed)
        #expect(received.value == [0])
    }

    @Test("One that was reset, and pauses again after its last bytes, ends")
    func resetBeforeResuming() throws {
        let (wire, connection, received, closed) = try pausedConnection(.beforeItsActivation)
        #expect(wire.send([0]))
        wire.abort()
        connection.queue.sync {}
        connection.resumeReceiving()
        expectReset(closed)
        #expect(received.value == [0])
    }
}
