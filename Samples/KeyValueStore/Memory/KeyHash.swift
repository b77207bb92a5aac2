/// SipHash with a secret key: who does not know it cannot choose keys that collide.
struct KeyHash: Sendable {
    private let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) {
        self.key = key
    }

    /// A key that nobody can guess.
    static func random() -> KeyHash {
        var generator = SystemRandomNumberGenerator()
        return KeyHash(key: (generator.next(), generator.next()))
    }

    /// SipHash-1-3, which hash tables can do with.
    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        hash(bytes, rounds: 1, finalRounds: 3)
    }

    @inline(__always)
    func hash(_ bytes: UnsafeRawBufferPointer, rounds: Int, finalRounds: Int) -> UInt64 {
        var state = State(key)
        let count = bytes.count
        let blocks = count & ~7
        var offset = 0
        while offset < blocks {
            let block = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state.take(UInt64(littleEndian: block), rounds: rounds)
            offset += 8
        }
        let last = UInt64(truncatingIfNeeded: count) << 56 | Self.tail(of: bytes, from: blocks)
        state.take(last, rounds: rounds)
        return state.finish(rounds: finalRounds)
    }

    /// The last bytes, fewer than eight, as a little-endian number.
    @inline(__always)
    private static func tail(of bytes: UnsafeRawBufferPointer, from start: Int) -> UInt64 {
        let count = bytes.count
        if count == start { return 0 }
        if count >= 8 {
            // One load that begins before the tail, shifted by what does not belong to it.
            let word = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return UInt64(littleEndian: word) >> UInt64(64 - 8 * (count - start))
        }
        var word: UInt64 = 0
        for index in stride(from: count - 1, through: start, by: -1) {
            word = word << 8 | UInt64(bytes[index])
        }
        return word
    }

    /// The four words that SipHash mixes.
    private struct State {
        private var a: UInt64
        private var b: UInt64
        private var c: UInt64
        private var d: UInt64

        @inline(__always)
        init(_ key: (UInt64, UInt64)) {
            // "somepseudorandomlygeneratedbytes", as the algorithm defines it.
            a = key.0 ^ 0x736f_6d65_7073_6575
            b = key.1 ^ 0x646f_7261_6e64_6f6d
            c = key.0 ^ 0x6c79_6765_6e65_7261
            d = key.1 ^ 0x7465_6462_7974_6573
        }

        @inline(__always)
        mutating func take(_ word: UInt64, rounds: Int) {
            d ^= word
            for _ in 0..<rounds { round() }
            a ^= word
        }

        @inline(__always)
        mutating func finish(rounds: Int) -> UInt64 {
            c ^= 0xff
            for _ in 0..<rounds { round() }
            return a ^ b ^ c ^ d
        }

        @inline(__always)
        private mutating func round() {
            a &+= b
            b = rotated(b, 13) ^ a
            a = rotated(a, 32)
            c &+= d
            d = rotated(d, 16) ^ c
            a &+= d
            d = rotated(d, 21) ^ a
            c &+= b
            b = rotated(b, 17) ^ c
            c = rotated(c, 32)
        }

        @inline(__always)
        private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word &<< count | word &>> (64 &- count)
        }
    }
}
