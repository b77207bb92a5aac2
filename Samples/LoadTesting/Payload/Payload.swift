internal import Glibc

/// The bytes of every message, known to sender and checker alike.
///
/// Message n of a connection is the word `seed + n` (the connection's seed), then a window of a
/// random pattern that all share; which window depends on seed and n. So an echo that is late,
/// early, from another connection, cut or changed differs from what is expected. Making or checking
/// a message is one word and one memcpy or memcmp. Messages under 8 bytes are the word's first.
final class Payload: @unchecked Sendable {
    // Safety: the pattern does not change once it is made.
    static let headerBytes = 8
    /// Offsets a window may start at: few enough for the first-level cache.
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

    /// Appends message `number`; returns its size.
    @inline(__always)
    @discardableResult
    func write(_ number: UInt64, seed: UInt64, into buffer: MessageBuffer) -> Int {
        let size = size(number, seed: seed)
        buffer.append(word: seed &+ number, length: min(size, Self.headerBytes))
        if size > Self.headerBytes {
            buffer.append(window(number, seed, 0..<size - Self.headerBytes))
        }
        return size
    }

    /// Whether `bytes` are message `number`'s bytes from its byte `position` on. They may not reach
    /// beyond its end.
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
        // Safety: both have the same size.
        return memcmp(address, expectedAddress, body.count) == 0
    }

    /// The message number in the header of these bytes, valid or not.
    func number(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64? {
        guard bytes.count >= Self.headerBytes else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) &- seed
    }

    /// Where a part of the message's body is in the pattern.
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
