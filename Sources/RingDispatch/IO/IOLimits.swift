/// When a channel's handlers are called.
struct IOLimits: Sendable {
    /// Fewest bytes of a call, but for the last; nil: what is there.
    var low: Int?
    /// Most bytes of a call.
    var high = Int.max
    var intervalNanoseconds: UInt64 = 0
    /// Calls at each interval even if there are fewer bytes than `low`.
    var isStrict = false

    /// Waits for all bytes.
    static let wholesale = IOLimits(low: .max)

    /// A write tells of its progress so often, unless a low water mark is set.
    static let usualWriteLow = 1 << 20

    var readLow: Int { max(1, low ?? 1) }
    var writeLow: Int { max(1, low ?? min(high, IOLimits.usualWriteLow)) }
}
