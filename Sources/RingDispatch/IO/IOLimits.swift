/// The conditions for calling a channel's handlers.
struct IOLimits: Sendable {
    /// Minimum number of bytes per call, except the last; nil means whatever is available.
    var low: Int?
    /// Maximum number of bytes per call.
    var high = Int.max
    /// `.never`: no calls by time.
    var interval = DispatchTimeInterval.never
    /// Calls at each interval even with fewer bytes than `low`.
    var isStrict = false

    /// One call with all bytes.
    static let wholesale = IOLimits(low: .max)

    /// The default interval of a write's progress reports, in bytes.
    static let usualWriteLow = 1 << 20

    var readLow: Int { max(1, low ?? 1) }
    var writeLow: Int { max(1, low ?? min(high, IOLimits.usualWriteLow)) }
}
