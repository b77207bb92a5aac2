/// Messages that the server has to echo in order.
final class EchoExchange: Exchange, @unchecked Sendable {
    // Safety: see the base class.
    private let payload: Payload
    private let seed: UInt64
    /// Correct bytes of message `answeredCount` so far.
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var sizeExpected: Int

    init(payload: Payload, seed: UInt64) {
        self.payload = payload
        self.seed = seed
        sizeExpected = payload.size(0, seed: seed)
    }

    override func write(into buffer: MessageBuffer) {
        payload.write(writtenCount, seed: seed, into: buffer)
        writtenCount &+= 1
    }

    override var partialBytes: Int { position }

    override func check(_ bytes: UnsafeRawBufferPointer) -> Finding? {
        var offset = 0
        while offset < bytes.count {
            let part = min(sizeExpected - position, bytes.count - offset)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + part])
            guard answeredCount != writtenCount,
                payload.matches(answeredCount, seed: seed, position: position, piece)
            else { return finding(UnsafeRawBufferPointer(rebasing: bytes[offset...])) }
            offset += part
            position += part
            guard position == sizeExpected else { return nil }
            position = 0
            answeredCount &+= 1
            sizeExpected = payload.size(answeredCount, seed: seed)
        }
        return nil
    }

    /// Classifies bytes that differ from the expected message.
    private func finding(_ bytes: UnsafeRawBufferPointer) -> Finding {
        if position == 0, let number = number(at: bytes) {
            if number < answeredCount {
                return Finding(
                    .duplicate, "message \(number) was received twice, instead of \(answeredCount)")
            }
            if number > answeredCount, number < writtenCount {
                return Finding(
                    .reorder, "message \(number) was received before message \(answeredCount)")
            }
        }
        if isCutShort(bytes) {
            return Finding(.truncation, "message \(answeredCount) was received incomplete")
        }
        return Finding(.mismatch, "wrong bytes at message \(answeredCount)")
    }

    /// The number of the message that the bytes begin with, if this connection has sent it.
    private func number(at bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard let number = payload.number(of: bytes, seed: seed), number < writtenCount else {
            return nil
        }
        let count = min(payload.size(number, seed: seed), bytes.count)
        let whole = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        return payload.matches(number, seed: seed, position: 0, whole) ? number : nil
    }

    /// Whether the next message starts before the end of this one.
    private func isCutShort(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let next = answeredCount &+ 1
        guard next < writtenCount, sizeExpected > Payload.headerBytes else { return false }
        // The correct bytes may include the first bytes of the next message.
        let last = min(bytes.count - Payload.headerBytes, sizeExpected - position - 1)
        guard last >= 0 else { return false }
        return (0...last).contains { offset in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            return position + offset > 0 && number(at: rest) == next
        }
    }
}
