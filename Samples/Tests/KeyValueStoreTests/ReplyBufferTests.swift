import Testing

@testable import KeyValueStore

@Suite("Reply buffers")
struct ReplyBufferTests {
    @Test("what was sent goes from the front, what comes later follows the rest")
    func queue() {
        var reply = ReplyBuffer()
        var expected: [UInt8] = []
        var random = SeededGenerator(seed: 3)
        for round in 0..<2000 {
            let text = String(repeating: "x\(round)", count: Int.random(in: 0..<60, using: &random))
            reply.appendBulk(text)
            expected += Array("$\(text.utf8.count)\r\n\(text)\r\n".utf8)
            let sent = Int.random(in: 0...min(reply.count, 400), using: &random)
            reply.removeFirst(sent)
            expected.removeFirst(sent)
            let count = reply.count
            #expect(count == expected.count)
        }
        let left = Array(reply.bytes)
        #expect(left == expected)
        reply.removeFirst(reply.count)
        let isEmpty = reply.isEmpty
        #expect(isEmpty)
    }

    @Test("an error cannot end its line early, also behind bytes that were sent")
    func errors() {
        var reply = ReplyBuffer()
        reply.append("+0123456789\r\n")
        reply.removeFirst(5)
        reply.appendError("ERR \r\n+OK" + String(repeating: "\n", count: 5000))
        let text = String(decoding: reply.bytes, as: UTF8.self)
        #expect(
            text == "456789\r\n-ERR   +OK" + String(repeating: " ", count: 5000) + "\r\n")
    }

    @Test("a reply can be taken back")
    func truncation() {
        var reply = ReplyBuffer()
        reply.appendOK()
        let mark = reply.count
        reply.removeFirst(0)
        reply.appendBulk(String(repeating: "y", count: 100_000))
        reply.truncate(to: mark)
        reply.appendInteger(-7)
        let text = String(decoding: reply.bytes, as: UTF8.self)
        #expect(text == "+OK\r\n:-7\r\n")
    }
}
