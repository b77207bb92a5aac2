// Where a literal such as `.seconds(1)` fits both types, `@_disfavoredOverload` makes it a
// `DispatchTimeInterval`: code for GCD compiles as before.

extension DispatchTimeInterval {
    /// The same span of time in whole nanoseconds, rounded toward zero. Saturates at 2^63 - 1 ns
    /// (292 years), and is not ``never``. Not in GCD.
    public init(_ duration: Duration) {
        self = .nanoseconds(Int(duration.clampedNanoseconds))
    }

    // With an initializer of Duration in this module, Swift 6.3 finds the members of `timespec` in
    // SwiftOverlayShims, and files that import Glibc do not see them.
    /// The same span of time as a `Duration`; nil for ``never``. Not in GCD.
    public var duration: Duration? {
        switch self {
        case .seconds(let count): .seconds(count)
        case .milliseconds(let count): .milliseconds(count)
        case .microseconds(let count): .microseconds(count)
        case .nanoseconds(let count): .nanoseconds(count)
        case .never: nil
        }
    }
}

extension Duration {
    /// Whole nanoseconds, rounded toward zero, and clamped to `Int64`.
    package var clampedNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

/// `time` plus `duration`, rounded toward zero. Not in GCD.
@_disfavoredOverload
public func + (time: DispatchTime, duration: Duration) -> DispatchTime {
    time + DispatchTimeInterval(duration)
}

/// `time` minus `duration`, rounded toward zero. Not in GCD.
@_disfavoredOverload
public func - (time: DispatchTime, duration: Duration) -> DispatchTime {
    time - DispatchTimeInterval(duration)
}

/// `time` plus `duration`, rounded toward zero. Not in GCD.
@_disfavoredOverload
public func + (time: DispatchWallTime, duration: Duration) -> DispatchWallTime {
    time + DispatchTimeInterval(duration)
}

/// `time` minus `duration`, rounded toward zero. Not in GCD.
@_disfavoredOverload
public func - (time: DispatchWallTime, duration: Duration) -> DispatchWallTime {
    time - DispatchTimeInterval(duration)
}
