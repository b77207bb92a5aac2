internal import Glibc

/// The bytes of every message, known to sender and checker alike.
///
/// Message n of a connection is the word `seed + n` (with the connection's seed), then a window of
/// a random pattern that all connections share; seed and n select the window. So a late, early,
/// truncated or modified echo, or one of another connection, differs from the expected bytes.
/// Writing a message is one word and one memcpy(3), checking it one word and one memcmp(3). A
/// message under 8 bytes is the beginning of the word.
final class Payload: @unchecked Sendable {
    // Safety: the pattern is immutable after `init`.
    static let headerBytes = 8
    /// Start offsets of windows: few enough that the pattern stays in the first-level cache.
    private static let windowOffsets = 4096

    let sizes: MessageSizes
    private let pattern: UnsafeMutableRawBufferPointer

    init(sizes: MessageSizes, seed: UInt64) {
        self.sizes = sizes
        let count = (Self.windowOffsets + sizes.largest + 7) / 8 * 8
        pattern = .allocate(byteCount: count, alignment: 64)
        var generator = SeededGenerator(state: seed)
        for offset in stride(from: 0, to: count, by: 8) {
            pattern.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
        }
    }

    deinit { pattern.deallocate() }

    @inline(__always)
    func size(_ number: UInt64, seed: UInt64) -> Int { sizes.size(of: seed &+ number) }

    /// Appends message `number`.
    @inline(__always)
    func write(_ number: UInt64, seed: UInt64, into buffer: MessageBuffer) {
        let size = size(number, seed: seed)
        buffer.append(word: seed &+ number, length: min(size, Self.headerBytes))
        if size > Self.headerBytes {
            buffer.append(window(number, seed, 0..<size - Self.headerBytes))
        }
    }

    /// Whether `bytes` equal the part of message `number` that starts at `position`. They must not
    /// extend beyond its end.
    @inline(__always)
    func matches(
        _ number: UInt64, seed: UInt64, position: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let header = seed &+ number
        var body = bytes
        if position == 0, bytes.count >= Self.headerBytes {
            let word = bytes.loadUnaligned(as: UInt64.self)
            guard word == header.littleEndian else { return false }
            body = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes...])
        } else if position < Self.headerBytes {
            let count = min(bytes.count, Self.headerBytes - position)
            for index in 0..<count {
                let byte = UInt8(truncatingIfNeeded: header >> UInt64(8 * (position + index)))
                guard bytes[index] == byte else { return false }
            }
            body = UnsafeRawBufferPointer(rebasing: bytes[count...])
        }
        guard let address = body.baseAddress, !body.isEmpty else { return true }
        let start = max(0, position - Self.headerBytes)
        let expected = window(number, seed, start..<start + body.count)
        guard let expectedAddress = expected.baseAddress else { return false }
        // Safety: both have `body.count` bytes.
        return memcmp(address, expectedAddress, body.count) == 0
    }

    /// The message number in the header of these bytes, valid or not.
    func number(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64? {
        guard bytes.count >= Self.headerBytes else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) &- seed
    }

    /// The pattern bytes for a part of the message's body.
    @inline(__always)
    private func window(
        _ number: UInt64, _ seed: UInt64, _ part: Range<Int>
    ) -> UnsafeRawBufferPointer {
        let mixed = (seed >> 32) &+ number &* 8
        let start = Int(truncatingIfNeeded: mixed) & (Self.windowOffsets - 1)
        return UnsafeRawBufferPointer(
            rebasing: pattern[start + part.lowerBound..<start + part.upperBound])
    }
}
