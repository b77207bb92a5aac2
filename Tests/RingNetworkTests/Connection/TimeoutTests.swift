import Glibc
import RingDispatch
import Testing

@testable import RingNetwork

@Suite("Time-outs of connections", .watchdog)
struct TimeoutTests {
    private func make(
        _ set: (inout ConnectionOptions) -> Void, _ configure: (Connection) -> Void = { _ in }
    ) -> (Wire, Connection, Outcome<CloseReason>) {
        var options = ConnectionOptions()
        set(&options)
        return makeEcho(options, configure)
    }

    @Test("An idle connection is closed, not before the time, and its peer sees the end")
    func idle() {
        let began = DispatchTime.now()
        let (wire, _, closed) = make { $0.timeouts.idle = .milliseconds(100) }
        #expect(closed.wait() == .timedOut(.idle))
        let elapsed = DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds
        #expect(elapsed >= 100_000_000)
        #expect(wire.receiveEnd() == 0)
    }

    @Test("Traffic keeps a connection from being idle; a time-out may be set later")
    func setLater() {
        // On a machine that does not keep up, twice as long a time-out is tried.
        for milliseconds in [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600] {
            let idle = UInt64(milliseconds) * 1_000_000
            let (wire, _, closed) = make { $0.timeouts.idle = .milliseconds(milliseconds) }
            let start = DispatchTime.now().uptimeNanoseconds
            var (now, longestPause) = (start, UInt64(0))
            while now < start + 2 * idle, wire.echoes([1]) {
                letTimePass(milliseconds: 5)
                let last = now
                now = DispatchTime.now().uptimeNanoseconds
                longestPause = max(longestPause, now - last)
            }
            let hasLasted = now >= start + 2 * idle
            // The echo that found the connection closed may have come after a long pause, too.
            longestPause = max(longestPause, DispatchTime.now().uptimeNanoseconds - now)
            wire.close()
            let reason = closed.wait()
            if longestPause > idle / 2 && milliseconds < 25_600 { continue }
            #expect(hasLasted && reason == .ended)
            break
        }
        let (wire, connection, closed) = make { _ in }
        #expect(wire.echoes([1]))
        var timeouts = ConnectionTimeouts()
        timeouts.receive = .milliseconds(50)
        connection.setTimeouts(timeouts)
        #expect(closed.wait() == .timedOut(.receive))
        wire.close()
    }

    @Test("A time-out that is turned off again does nothing")
    func turnedOff() {
        var options = ConnectionOptions()
        options.timeouts.idle = .milliseconds(300)
        let (wire, connection) = makeNewConnection(options)
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        connection.setReceiveHandler { $0.send($1) }
        // While the queue is busy, the time does not end.
        connection.queue.sync {
            connection.activate()
            // After the timer has started.
            connection.queue.async { connection.setTimeouts(ConnectionTimeouts()) }
        }
        let (other, _, otherClosed) = make { $0.timeouts.idle = .milliseconds(300) }
        #expect(otherClosed.wait() == .timedOut(.idle))
        other.close()
        #expect(wire.echoes([5]))
        wire.close()
        #expect(closed.wait() != nil)
    }

    @Test("A paused connection does not wait for its peer")
    func paused() {
        let (wire, connection, closed) = make({ $0.timeouts.receive = .milliseconds(40) }) {
            $0.pauseReceiving()
        }
        letTimePass(milliseconds: 120)
        #expect(connection.queue.sync { connection.state } == .active)
        connection.resumeReceiving()
        #expect(closed.wait() == .timedOut(.receive))
        wire.close()
    }

    @Test("A peer that reads nothing times out, even while the connection is closing")
    func send() {
        for closes in [false, true] {
            let failed = Outcome<SocketError?>()
            let (wire, connection, closed) = make({ $0.timeouts.send = .milliseconds(60) }) {
                connection in
                connection.send(patterned(800_000)) { failed.set($0) }
            }
            if closes { connection.close() }
            #expect(closed.wait() == .timedOut(.send))
            #expect(failed.wait()??.code == .timedOut)
            wire.close()
        }
    }

    @Test("A limit for unsent bytes is on by default, and needs a timer only while there are some")
    func sendByDefault() {
        let isTimed = { (connection: Connection) in
            connection.queue.sync { connection.confined.clock?.timer != nil }
        }
        // Before the activation, and after it.
        for isEarly in [true, false] {
            let (wire, connection, closed) = make({ _ in }) {
                if isEarly { $0.send(patterned(800_000)) }
            }
            #expect(isTimed(connection) == isEarly)
            if !isEarly { connection.send(patterned(800_000)) }
            #expect(poll { isTimed(connection) })
            wire.close()
            _ = closed.wait()
        }
        // Long enough for the transfer that succeeds.
        let (wire, connection, closed) = make { $0.timeouts.send = .seconds(30) }
        #expect(!isTimed(connection))
        connection.send(patterned(800_000))
        #expect(poll { isTimed(connection) })
        #expect(wire.receive(800_000).count == 800_000)
        #expect(poll { !isTimed(connection) })
        connection.send(patterned(800_000))
        #expect(poll { isTimed(connection) })
        #expect(wire.receive(1).count == 1)
        var timeouts = ConnectionTimeouts()
        timeouts.send = .milliseconds(100)
        connection.setTimeouts(timeouts)
        #expect(closed.wait() == .timedOut(.send))
        wire.close()
    }

    @Test("Time in which the program keeps the queue busy does not count")
    func busyQueue() {
        let mayRead = Gate()
        // The time-out; the reader has as long.
        let span = 1000 * Patience.seconds / 30
        let (wire, _, closed) = make({ $0.timeouts.send = .milliseconds(span) }) { connection in
            connection.send(patterned(800_000))
            connection.queue.asyncAfter(deadline: .now() + .milliseconds(span / 5)) {
                // The next tick of the time-out is due before the kernel has room.
                letTimePass(milliseconds: span * 2 / 5)
                mayRead.open()
                letTimePass(milliseconds: span * 4 / 5)
            }
        }
        let received = Outcome<[UInt8]>()
        let reader = UserThread {
            mayRead.pass()
            received.set(wire.receive(800_000))
        }
        expectSame(received.wait(), patterned(800_000))
        #expect(reader.join())
        wire.closeOutput()
        #expect(closed.wait() == .ended)
    }

    @Test("It counts, too, if the connection is closed before it is activated")
    func sendAndClose() {
        var options = ConnectionOptions()
        options.timeouts.send = .milliseconds(100)
        let (wire, connection) = makeNewConnection(options)
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        connection.send(patterned(800_000))
        connection.close()
        #expect(closed.wait() == .timedOut(.send))
        wire.close()
        let (reader, refused) = makeNewConnection()
        refused.send(patterned(800_000))
        refused.close()
        expectSame(reader.receive(800_001), patterned(800_000))
    }

    @Test("An idle time-out resets the connection if bytes are unsent")
    func idleUnsent() throws {
        let sent = Outcome<SocketError?>()
        let (wire, _, closed) = make({ $0.timeouts.idle = .milliseconds(60) }) { connection in
            connection.send(patterned(800_000)) { sent.set($0) }
        }
        #expect(closed.wait() == .timedOut(.idle))
        #expect(sent.wait()??.code == .timedOut)
        wire.close()
        try resetsOverTCP()
    }

    /// Only TCP tells a reset from an end.
    private func resetsOverTCP() throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        let closed = Outcome<CloseReason>()
        listener.setConnectionHandler { connection in
            connection.setCloseHandler { closed.set($1) }
            connection.activate()
            connection.send([UInt8](repeating: 1, count: 16_000_000))
            // Afterwards, so that the time does not end before there are bytes to send.
            var timeouts = ConnectionTimeouts()
            timeouts.idle = .milliseconds(60)
            connection.setTimeouts(timeouts)
        }
        listener.activate()
        let wire = Wire.connect(to: listener.port)
        #expect(closed.wait() == .timedOut(.idle))
        // Read, because a peer without room for bytes may miss a reset until it has room.
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var (count, code) = (0, Int32(0))
        repeat {
            count = recv(wire.descriptor, &buffer, buffer.count, 0)
            code = count < 0 ? errno : 0
        } while count > 0 || code == EINTR
        #expect(code == ECONNRESET)
        wire.close()
        stop(listener)
    }

    @Test("A message that trickles in times out; silence between messages does not")
    func trickle() {
        var rate = MinimumRate(bytesPerSecond: 100_000)
        rate.grace = .milliseconds(20)
        rate.window = .milliseconds(40)
        let (wire, _, closed) = make({ $0.timeouts.receiveRate = rate }) { connection in
            connection.setReceiveHandler { connection, span in
                connection.send(span)
                let last = span.withUnsafeBytes { $0.last }
                connection.isInMessage = last != 10
            }
        }
        #expect(wire.echoes([1, 10]))
        letTimePass(milliseconds: 200)
        #expect(wire.echoes([2, 10]))
        while wire.send([3]), wire.receive(1) == [3] { letTimePass(milliseconds: 3) }
        #expect(closed.wait() == .timedOut(.receiveRate))
    }

    @Test("A peer that reads answers too slowly times out")
    func sendRate() {
        var rate = MinimumRate(bytesPerSecond: 500_000_000)
        rate.grace = .milliseconds(20)
        rate.window = .milliseconds(40)
        let (wire, _, closed) = make({ $0.timeouts.sendRate = rate }) { connection in
            connection.send(patterned(2_000_000))
        }
        let reader = UserThread {
            while wire.receive(1000).count == 1000 { letTimePass(milliseconds: 1) }
        }
        #expect(closed.wait() == .timedOut(.sendRate))
        #expect(reader.join())
        wire.close()
    }

    @Test("A closed connection is not retained by a timer")
    func noTimers() {
        final class Holder { weak var connection: Connection? }
        let holder = Holder()
        do {
            let (wire, connection, closed) = make { $0.timeouts.idle = .seconds(3600) }
            holder.connection = connection
            wire.close()
            #expect(closed.wait() == .ended)
        }
        #expect(poll { holder.connection == nil })
    }
}
