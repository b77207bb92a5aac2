// A framing of your own: the length comes first, as a number of one to four bytes.
import RingNetwork

/// Frames that begin with their length: seven bits in each byte, the lowest ones first. All bytes
/// of the length except its last one have the highest bit set.
struct VariableLengthFraming: Framing {
    let maximumLength = 65_536

    /// Called again with more bytes as long as it returns nil.
    mutating func nextFrame(in bytes: FrameBytes) throws -> FrameBounds? {
        var length = 0
        for index in 0..<min(bytes.count, 4) {
            length |= Int(bytes[index] & 0x7f) << (7 * index)
            // An end of the length. A longer frame must not fill the memory.
            guard bytes[index] < 0x80 else { continue }
            guard length <= maximumLength else { throw FrameError.tooLong(limit: maximumLength) }
            let payload = index + 1..<index + 1 + length
            guard bytes.count >= payload.upperBound else { return nil }
            return FrameBounds(payload: payload, end: payload.upperBound)
        }
        if bytes.count >= 4 { throw FrameError.tooLong(limit: maximumLength) }
        return nil
    }

    func append(_ payload: RawSpan, to output: inout [UInt8]) throws {
        var rest = payload.byteCount
        guard rest <= maximumLength else { throw FrameError.tooLong(limit: maximumLength) }
        while rest > 0x7f {
            output.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(rest))
        payload.withUnsafeBytes { output.append(contentsOf: $0) }
    }
}

// In a task: `for try await frame in client.frames(of: VariableLengthFraming())`.
var reader = FrameReader(VariableLengthFraming())
// snippet.hide
var stream: [UInt8] = []
for count in [0, 5, 127, 128, 300, 65_536] {
    try VariableLengthFraming().append([UInt8](repeating: 7, count: count), to: &stream)
}
var counts: [Int] = []
for byte in stream { try reader.receive([byte].span.bytes) { counts.append($0.byteCount) } }
precondition(counts == [0, 5, 127, 128, 300, 65_536])
let tooLong: [UInt8] = [0xff, 0xff, 0xff, 0x7f]
do {
    try reader.receive(tooLong.span.bytes) { _ in preconditionFailure("a frame") }
    preconditionFailure("no error")
} catch FrameError.tooLong(limit: 65_536) { print("frames of", counts) }
