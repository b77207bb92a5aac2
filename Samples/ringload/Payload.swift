/// The bytes of every message, known to sender and checker alike.
///
/// Message n of a connection is the word `seed + n` (the connection's seed), then a window of a
/// random pattern that all share; which window depends on seed and n. So an echo that is late,
/// early, from another connection, cut or changed differs from what is expected. Making or checking
/// a message is one word and one memcpy or memcmp. Messages under 8 bytes are the word's first.
struct Payload: Sendable {
    private static let headerBytes = 8
    /// Offsets a window may start at: few enough for the first-level cache.
    private static let windowOffsets = 4096

    let sizeBytes: Int
    private let pattern: RawStorage

    init(sizeBytes: Int, seed: UInt64) {
        self.sizeBytes = sizeBytes
        pattern = RawStorage(capacity: Self.windowOffsets + sizeBytes)
        var generator = SplitMix64(state: seed)
        for offset in stride(from: 0, to: pattern.capacity, by: 8) {
            pattern.storeWord(generator.next(), at: offset)
        }
    }

    /// Writes message `number` at `offset`. A message of less than 8 bytes spoils what is up to 7
    /// bytes behind it: write messages in order.
    func write(_ number: UInt64, seed: UInt64, into storage: RawStorage, at offset: Int) {
        storage.storeWord((seed &+ number).littleEndian, at: offset)
        guard sizeBytes > Self.headerBytes else { return }
        storage.copy(
            from: pattern, window(number, seed, 0..<sizeBytes - Self.headerBytes),
            to: offset + Self.headerBytes)
    }

    /// Whether `count` bytes at `offset` are message `number`'s bytes from its byte `position` on.
    func matches(
        _ number: UInt64, seed: UInt64, position: Int,
        in storage: RawStorage, at offset: Int, count: Int
    ) -> Bool {
        let header = seed &+ number
        var bodyStart = offset
        var body = position - Self.headerBytes..<position - Self.headerBytes + count
        if position == 0, count >= Self.headerBytes {
            guard storage.word(at: offset) == header.littleEndian else { return false }
        } else {
            for index in position..<max(position, min(position + count, Self.headerBytes)) {
                let byte = UInt8(truncatingIfNeeded: header >> UInt64(8 * index))
                guard storage.byte(at: offset + index - position) == byte else { return false }
            }
        }
        if body.lowerBound < 0 {
            bodyStart -= body.lowerBound
            body = 0..<max(0, body.upperBound)
        }
        return body.isEmpty
            || storage.equals(pattern, window(number, seed, body), at: bodyStart)
    }

    /// Where a part of the message's body is in the pattern.
    private func window(_ number: UInt64, _ seed: UInt64, _ part: Range<Int>) -> Range<Int> {
        let mixed = (seed >> 32) &+ number &* 8
        let start = Int(truncatingIfNeeded: mixed) & (Self.windowOffsets - 1)
        return start + part.lowerBound..<start + part.upperBound
    }
}

/// Sebastiano Vigna's SplitMix64: a small, fast generator with a full period.
struct SplitMix64: Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
