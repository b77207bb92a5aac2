internal import LinuxPlatform

/// A point in time in GCD's encoding, the `rawValue` of both time types.
///
/// `UInt64.max` is the distant future, 0 is "now". Otherwise the top two bits name the clock: 00
/// for nanoseconds of uptime, 11 for negated wall-clock nanoseconds since 1970. Stands for
/// `dispatch_time_t`.
public typealias dispatch_time_t = UInt64

/// A point in time on the uptime clock, for time-outs and timers that measure a duration.
///
/// The clock is `CLOCK_MONOTONIC`, in nanoseconds: setting the wall clock does not affect it, and
/// it stops while the system is suspended. Arithmetic saturates: a time before the clock's start
/// becomes 1 ns, one beyond 2^62 - 2 ns (146 years) becomes ``distantFuture``, which never changes.
/// Stands for a `dispatch_time_t` made by `dispatch_time`.
@frozen
public struct DispatchTime: Comparable, Sendable {
    /// GCD's encoding: nanoseconds of uptime, 0 for "now", `UInt64.max` for ``distantFuture``.
    public let rawValue: dispatch_time_t

    /// A point in time, in nanoseconds since the clock's start.
    ///
    /// - Parameter uptimeNanoseconds: 0 means "now", evaluated at each use. Values above 2^62 - 2
    ///   are kept, but act as ``distantFuture``.
    @inlinable
    public init(uptimeNanoseconds: UInt64) {
        self.rawValue = uptimeNanoseconds
    }

    /// The current time. Stands for `dispatch_time(DISPATCH_TIME_NOW, 0)`.
    @inline(__always)
    public static func now() -> DispatchTime {
        DispatchTime(uptimeNanoseconds: MonotonicClock.nanoseconds())
    }

    /// A time that is never reached: a wait without a time-out. Stands for `DISPATCH_TIME_FOREVER`.
    @inlinable
    public static var distantFuture: DispatchTime { DispatchTime(uptimeNanoseconds: .max) }

    /// Nanoseconds since the clock's start; `UInt64.max` for ``distantFuture``, 0 for "now".
    @inlinable
    public var uptimeNanoseconds: UInt64 { rawValue }

    /// Whether `lhs` is earlier; no time is later than ``distantFuture``.
    @inlinable
    public static func < (lhs: DispatchTime, rhs: DispatchTime) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension DispatchTime {
    /// The last finite uptime: GCD saturates above it, and uses the top two bits for the clock.
    @usableFromInline
    package static var latestFinite: UInt64 { (1 << 62) - 2 }

    /// The deadline in nanoseconds on `CLOCK_MONOTONIC`; `UInt64.max` means never. Reads the clock
    /// for "now".
    @inlinable
    package var monotonicDeadline: UInt64 {
        if rawValue == 0 { return Self.now().rawValue }
        return rawValue > Self.latestFinite ? .max : rawValue
    }
}
