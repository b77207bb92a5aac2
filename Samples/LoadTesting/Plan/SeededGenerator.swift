/// Sebastiano Vigna's SplitMix64: a small, fast generator with a full period.
struct SeededGenerator: Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random number above 0, up to and including 1.
    mutating func nextFraction() -> Double {
        Double((next() >> 11) + 1) / 9_007_199_254_740_992
    }
}
