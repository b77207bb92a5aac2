/// A span of time: a timer's interval or leeway, or the distance between two points in time.
///
/// Intervals compare by duration: `.seconds(1)` equals `.milliseconds(1000)`. Beyond 2^63 - 1
/// nanoseconds (292 years) they saturate. Stands for the `int64_t` nanoseconds of
/// `dispatch_time(3)`.
@frozen
public enum DispatchTimeInterval: Equatable, Sendable {
    /// Whole seconds.
    case seconds(Int)
    /// 10^-3 s.
    case milliseconds(Int)
    /// 10^-6 s.
    case microseconds(Int)
    /// 10^-9 s.
    case nanoseconds(Int)
    /// Endless; equals no finite interval. A timer with this interval fires once.
    case never

    /// Whether both intervals have the same duration.
    @inlinable
    public static func == (lhs: DispatchTimeInterval, rhs: DispatchTimeInterval) -> Bool {
        switch (lhs, rhs) {
        case (.never, .never): true
        case (.never, _), (_, .never): false
        default: lhs.clampedNanoseconds == rhs.clampedNanoseconds
        }
    }
}

extension DispatchTimeInterval {
    /// The interval in nanoseconds, clamped to `Int64`; `.never` is `Int64.max`.
    @usableFromInline
    package var clampedNanoseconds: Int64 {
        switch self {
        case .seconds(let count): Self.clampedProduct(count, 1_000_000_000)
        case .milliseconds(let count): Self.clampedProduct(count, 1_000_000)
        case .microseconds(let count): Self.clampedProduct(count, 1_000)
        case .nanoseconds(let count): Int64(count)
        case .never: .max
        }
    }

    /// Seconds in nanoseconds, clamped to `Int64`; not-a-number is `Int64.max`.
    package static func clampedNanoseconds(seconds: Double) -> Int64 {
        let nanoseconds = seconds * 1e9
        // 2^63 is the first Double above Int64's range; -2^63 is the lowest one inside it.
        if nanoseconds.isNaN || nanoseconds >= 0x1p63 { return .max }
        if nanoseconds <= -0x1p63 { return .min }
        return Int64(nanoseconds)
    }

    private static func clampedProduct(_ count: Int, _ unitNanoseconds: Int64) -> Int64 {
        let (product, overflow) = Int64(count).multipliedReportingOverflow(by: unitNanoseconds)
        if overflow { return count < 0 ? .min : .max }
        return product
    }
}

extension Int64 {
    /// `-self`, or `Int64.max` for `Int64.min`, whose negation does not fit.
    package var clampedNegation: Int64 {
        self == .min ? .max : -self
    }
}
