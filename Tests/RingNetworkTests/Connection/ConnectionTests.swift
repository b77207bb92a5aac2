import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connections", .watchdog)
struct ConnectionTests {
    @Test("Received bytes are echoed; after the end, all is sent before the close")
    func echo() {
        let (wire, _, closed) = makeEcho()
        for round in 0..<500 {
            let bytes = patterned(1 + round * 7 % 3000, seed: round)
            #expect(wire.send(bytes))
            expectSame(wire.receive(bytes.count), bytes)
        }
        #expect(wire.send([1, 2, 3]))
        wire.closeOutput()
        #expect(wire.receive(3) == [1, 2, 3])
        #expect(wire.receiveEnd() == 0)
        #expect(closed.wait() == .ended)
    }

    @Test("Text is sent as UTF-8, on the queue and from elsewhere, whatever its length")
    func text() {
        let texts = ["", "hello\n", "ünï\u{0}cödé 🦜\n", String(repeating: "äb", count: 500_000)]
        let (wire, connection, closed) = makeConnection { connection in
            // During the setup, as on the queue.
            for text in texts { connection.send(text) }
        }
        connection.queue.sync { for text in texts { connection.send(text) } }
        for text in texts { connection.send(text) }
        connection.closeOutput()
        let bytes = texts.flatMap { Array($0.utf8) }
        for _ in 0..<3 { expectSame(wire.receive(bytes.count), bytes) }
        #expect(wire.receiveEnd() == 0)
        connection.close()
        #expect(closed.wait() == .closed)
    }

    @Test("Why a connection is closed is one readable line")
    func reasons() {
        let timeouts: [ConnectionTimeout] = [
            .idle, .receive, .send, .handshake, .receiveRate, .sendRate,
        ]
        let reset = SocketError("recv", ECONNRESET, remedy: "start it again")
        let reasons: [CloseReason] =
            [.closed, .aborted, .ended, .failed(reset)] + timeouts.map { .timedOut($0) }
        let lines = reasons.map { "\(ReceiveError.closed($0))" }
        #expect(Set(lines).count == reasons.count)
        for line in lines {
            #expect(line.hasPrefix("the connection is closed: ") && !line.contains("\n"))
            // No case of an enum shows.
            #expect(!line.contains("(RingNetwork") && !line.contains("timedOut"), "\(line)")
        }
        #expect("\(CloseReason.failed(reset))" == reset.description)
        #expect("\(CloseReason.timedOut(.idle))".contains("timeouts.idle"))
        #expect("\(ReceiveError.ended(available: 0, wanted: 4))".contains("before a message of 4"))
        #expect("\(ReceiveError.ended(available: 3, wanted: 4))".contains("after 3 of 4 bytes"))
    }

    /// Even if the end arrives while a handler runs.
    @Test("The end of a stream is never missed")
    func ends() {
        for round in 0..<300 {
            let (wire, _, closed) = makeConnection { connection in
                connection.setReceiveHandler { _, _ in
                    for _ in 0..<round % 7 * 500 { spin() }
                }
            }
            for _ in 0..<round % 37 * 10 { #expect(wire.send(Array(repeating: 1, count: 37))) }
            wire.closeOutput()
            let reason = closed.wait()
            #expect(reason == .ended)
            if reason == nil { return }
        }
    }

    @inline(never)
    private func spin() {}

    @Test("Receiving stops while the peer reads nothing, and no bytes are lost")
    func slowReader() {
        var options = ConnectionOptions()
        options.sendHighWaterBytes = 10_000
        options.sendLowWaterBytes = 1000
        let (wire, connection, closed) = makeEcho(options)
        let bytes = patterned(4_000_000)
        let sender = DispatchQueue(label: "sender")
        let sent = Outcome<Bool>()
        sender.async { sent.set(wire.send(bytes)) }
        // It blocks, because nobody reads the echo.
        while connection.queue.sync(execute: { connection.isWritable }) { sched_yield() }
        let unsent = connection.queue.sync { connection.unsentBytes }
        #expect(unsent < 10_000 + 64 * 2048)
        expectSame(wire.receive(bytes.count), bytes)
        #expect(sent.wait() == true)
        wire.closeOutput()
        #expect(wire.receiveEnd() == 0)
        #expect(closed.wait() == .ended)
    }

    @Test("A peer that resets the connection is an error")
    func peerGone() {
        let (wire, _, closed) = makeEcho()
        #expect(wire.send(patterned(100)))
        // With unread bytes, close(2) sends a reset.
        #expect(poll { unreadBytes(wire.descriptor) == 100 })
        wire.close()
        guard case .failed(let error) = closed.wait() else {
            Issue.record("\(String(describing: closed.wait()))")
            return
        }
        #expect(error.code == .connectionReset)
    }

    @Test("A send before activate to a peer that has gone is an error for the close handler")
    func peerGoneEarly() {
        let (descriptor, wire) = Wire.tcpPair()
        wire.abort()
        let connection = Connection(adopting: descriptor)
        let (sent, closed) = (Outcome<SocketError?>(), Outcome<CloseReason>())
        connection.send(patterned(10_000)) { sent.set($0) }
        connection.setCloseHandler { closed.set($1) }
        connection.activate()
        #expect(sent.wait() != .some(nil))
        guard case .failed = closed.wait() else {
            Issue.record("\(String(describing: closed.wait()))")
            return
        }
    }

    @Test("close sends all unsent bytes, even many, and then closes")
    func closeFlushes() {
        let (wire, connection, closed) = makeConnection { $0.setReceiveHandler { _, _ in } }
        let completed = Outcome<SocketError?>()
        let bytes = patterned(3_000_000)
        connection.send(bytes) { completed.set($0) }
        connection.close()
        expectSame(wire.receive(bytes.count), bytes)
        #expect(wire.receiveEnd() == 0)
        #expect(closed.wait() == .closed)
        #expect(completed.wait() == .some(nil))
    }

    @Test("abort drops unsent bytes, and fails their completions")
    func abortDrops() {
        let (wire, connection, closed) = makeConnection()
        let completed = Outcome<SocketError?>()
        connection.send(patterned(3_000_000)) { completed.set($0) }
        connection.abort()
        #expect(closed.wait() == .aborted)
        #expect(completed.wait()??.code == .brokenPipe)
        #expect(wire.receive(3_000_000).count < 3_000_000)
    }

    @Test("A paused connection delivers nothing; on resuming, all in order, with the end")
    func pause() {
        let received = Outcome<[UInt8]>()
        let bytes = patterned(50_000)
        let collected = Watched<[UInt8]>([])
        let (wire, connection, closed) = makeEcho { connection in
            connection.setReceiveHandler { connection, span in
                #expect(connection.state == .active)
                span.withUnsafeBytes { bytes in collected.update { $0 += bytes } }
                if collected.value.count == bytes.count { received.set(collected.value) }
            }
            connection.pauseReceiving()
        }
        #expect(wire.send(bytes))
        wire.closeOutput()
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        #expect(collected.value.isEmpty)
        connection.resumeReceiving()
        expectSame(received.wait(), bytes)
        #expect(closed.wait() == .ended)
    }

    @Test("A handler may pause and resume again and again, and misses nothing")
    func pauseInHandler() {
        let received = Outcome<Bool>()
        let bytes = patterned(300_000)
        let (wire, _, closed) = makeEcho { connection in
            var collected: [UInt8] = []
            connection.setReceiveHandler { connection, span in
                span.withUnsafeBytes { collected.append(contentsOf: $0) }
                connection.pauseReceiving()
                connection.queue.async { connection.resumeReceiving() }
                if collected.count == bytes.count { received.set(collected == bytes) }
            }
        }
        #expect(wire.send(bytes))
        #expect(received.wait() == true)
        wire.closeOutput()
        #expect(closed.wait() == .ended)
    }

    @Test("With an end handler the connection stays open for sending")
    func halfClose() {
        let (wire, _, closed) = makeEcho { connection in
            connection.setEndHandler { connection in
                connection.send([9, 9])
                connection.closeOutput()
                connection.close()
            }
        }
        #expect(wire.send([1]))
        wire.closeOutput()
        #expect(wire.receive(3) == [1, 9, 9])
        #expect(wire.receiveEnd() == 0)
        #expect(closed.wait() == .closed)
    }

    @Test("No handler is given more bytes at once than the maximum")
    func maximum() {
        var options = ConnectionOptions()
        options.receiveMaximumBytes = 7
        let total = Outcome<Int>()
        let (wire, _, _) = makeEcho(options) { connection in
            var count = 0
            connection.setReceiveHandler { connection, span in
                #expect(span.byteCount <= 7)
                count += span.byteCount
                if count == 1000 { total.set(count) }
            }
        }
        #expect(wire.send(patterned(1000)))
        #expect(total.wait() == 1000)
    }

    @Test("A handler that blocks stops no other connection")
    func blocking() {
        let gate = DispatchSemaphore(value: 0)
        let blocked = Outcome<Bool>()
        let (stuck, _, stuckClosed) = makeEcho { connection in
            connection.setReceiveHandler { connection, span in
                blocked.set(true)
                gate.wait()
                connection.send(span)
            }
        }
        #expect(stuck.send([1]))
        #expect(blocked.wait() == true)
        let others = (0..<20).map { _ in makeEcho() }
        for round in 0..<50 {
            for (wire, _, _) in others { #expect(wire.send(patterned(100, seed: round))) }
            for (wire, _, _) in others {
                #expect(wire.receive(100) == patterned(100, seed: round))
            }
        }
        gate.signal()
        #expect(stuck.receive(1) == [1])
        stuck.close()
        #expect(stuckClosed.wait() != nil)
        for (wire, _, closed) in others {
            wire.close()
            #expect(closed.wait() != nil)
        }
    }

    @Test("A connection that is released before its activation calls its sends' completions")
    func releasedEarly() {
        let sent = Outcome<SocketError?>()
        let (descriptor, wire) = Wire.pair()
        do {
            let connection = Connection(adopting: descriptor)
            connection.send(patterned(800_000)) { sent.set($0) }
        }
        #expect(sent.wait()??.code == .brokenPipe)
        wire.close()
    }

    @Test("Handlers that are set on a closed connection are released")
    func lateHandlers() {
        let (wire, connection, closed) = makeConnection()
        let isReported = Outcome<Bool>()
        connection.queue.sync {
            connection.abort()
            // In time: the close handler is called after this item.
            connection.setCloseHandler {
                closed.set($1)
                isReported.set(true)
            }
        }
        #expect(closed.wait() == .aborted)
        #expect(isReported.wait() == true)
        weak var released: Session?
        do {
            let session = Session(connection)
            released = session
            connection.setHandlers(
                ConnectionHandlers(receive: { [session] _, _ in _ = session.connection }))
            connection.setDrainHandler { [session] _ in _ = session.connection }
            connection.setCloseHandler { [session] _, _ in _ = session.connection }
        }
        #expect(poll { released == nil })
        wire.close()
    }
}

/// State of a program that knows its connection, and that the connection's handlers know.
private final class Session: Sendable {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }
}
