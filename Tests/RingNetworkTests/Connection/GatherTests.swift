import RingDispatch
import RingNetwork
import Testing

@Suite("The fewest bytes to receive", .watchdog)
struct GatherTests {
    private func make(
        minimum: Int, maximum: Int = .max,
        _ handler: sending @escaping (Connection, [UInt8]) -> Void
    ) -> (Wire, Connection, Outcome<CloseReason>) {
        var options = ConnectionOptions()
        options.receiveMinimumBytes = minimum
        options.receiveMaximumBytes = maximum
        let made = makeConnection(options)
        made.1.setReceiveHandler { handler($0, $1.withUnsafeBytes { Array($0) }) }
        return made
    }

    @Test("Bytes are gathered up to the minimum, and the rest is delivered at the end")
    func gathers() {
        let pieces = Watched<[[UInt8]]>([])
        let (wire, connection, closed) = make(minimum: 10) { pieces.append($1) }
        for byte in 0..<9 { #expect(wire.send([UInt8(byte)])) }
        while connection.queue.sync(execute: { connection.statistics.bytesReceived }) < 9 {}
        #expect(pieces.value.isEmpty)
        #expect(wire.send([9, 10]))
        expectEventually(pieces) { !$0.isEmpty }
        #expect(Array(pieces.value.joined()).prefix(10) == countingBytes(10)[...])
        #expect(wire.send([11, 12]))
        wire.closeOutput()
        #expect(closed.wait() == .ended)
        #expect(Array(pieces.value.joined()) == countingBytes(13))
    }

    @Test("The minimum changes from message to message, as a protocol with headers needs it")
    func headers() {
        let bodies = Watched<[[UInt8]]>([])
        // A length byte, then that many bytes.
        var length: Int?
        var rest: [UInt8] = []
        let (wire, _, closed) = make(minimum: 1) { connection, bytes in
            rest += bytes
            while true {
                if let count = length {
                    guard rest.count >= count else { break }
                    bodies.append(Array(rest.prefix(count)))
                    rest.removeFirst(count)
                    length = nil
                } else {
                    guard let first = rest.first else { break }
                    length = Int(first)
                    rest.removeFirst()
                }
            }
            connection.setReceiveMinimumBytes(max(1, (length ?? 1) - rest.count))
        }
        var stream: [UInt8] = []
        for count in 0..<200 { stream += [UInt8(count)] + countingBytes(count) }
        for start in stride(from: 0, to: stream.count, by: 37) {
            #expect(wire.send(Array(stream[start..<min(start + 37, stream.count)])))
        }
        wire.closeOutput()
        #expect(closed.wait() == .ended)
        #expect(bodies.value == (0..<200).map { countingBytes($0) })
    }

    @Test("A handler that pauses midway through received bytes gets the rest on resuming")
    func pauses() {
        let bytes = patterned(20_000)
        let all = Watched<[UInt8]>([])
        let (wire, connection, closed) = make(minimum: 1, maximum: 7) { connection, piece in
            #expect(piece.count <= 7)
            all.update { $0 += piece }
            if all.value.count % 5 == 0 {
                connection.pauseReceiving()
                connection.queue.async { connection.resumeReceiving() }
            }
        }
        #expect(wire.send(bytes))
        wire.closeOutput()
        #expect(closed.wait() == .ended)
        expectSame(all.value, bytes)
        #expect(connection.queue.sync { connection.state } == .closed)
    }

    @Test("Bytes that were received before a reset are delivered, then the error")
    func reset() {
        let (descriptor, wire) = Wire.tcpPair()
        var options = ConnectionOptions()
        options.receiveMaximumBytes = 4096
        let connection = Connection(adopting: descriptor, options: options)
        let all = Watched<[UInt8]>([])
        let closed = Watched<CloseReason?>(nil)
        connection.setReceiveHandler { connection, span in
            span.withUnsafeBytes { bytes in all.update { $0 += bytes } }
            connection.pauseReceiving()
        }
        connection.setCloseHandler { _, reason in closed.update { $0 = reason } }
        let hasSent = Gate()
        connection.queue.async { hasSent.pass() }
        connection.activate()
        let bytes = patterned(20_000)
        #expect(wire.send(bytes))
        hasSent.open()
        expectEventually(all) { $0.count == 4096 }
        wire.abort()
        expectStays(closed, at: nil)
        for count in [8192, 12288, 16384, 20_000] {
            connection.resumeReceiving()
            expectEventually(all) { $0.count == count }
        }
        expectSame(all.value, bytes)
        expectEventually(closed) {
            if case .failed(let error) = $0 { error.code == .connectionReset } else { false }
        }
    }
}
