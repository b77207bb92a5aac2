internal import LinuxPlatform

/// A point in time in GCD's encoding: what `rawValue` of both time types holds.
///
/// `UInt64.max` is the distant future. Otherwise the two top bits name the clock: 00 an uptime in
/// nanoseconds, 11 a negated wall-clock time in nanoseconds since 1970. Zero means "now". Stands
/// for `dispatch_time_t`.
public typealias dispatch_time_t = UInt64

/// A point in time on the uptime clock, for time-outs and timers that measure a duration.
///
/// The clock is `CLOCK_MONOTONIC`: it never steps when the wall clock is set and it stands still
/// while the system sleeps. Its resolution is a nanosecond. Arithmetic saturates: a time before the
/// clock's start becomes 1 ns, one beyond 2^62 - 2 ns (146 years) becomes ``distantFuture``, and
/// ``distantFuture`` stays itself. Stands for a `dispatch_time_t` made by `dispatch_time`.
@frozen
public struct DispatchTime: Comparable, Sendable {
    /// The time in GCD's encoding: nanoseconds of uptime, 0 for "now", `UInt64.max` for
    /// ``distantFuture``.
    public let rawValue: dispatch_time_t

    @inlinable
    package init(rawValue: dispatch_time_t) {
        self.rawValue = rawValue
    }

    /// A point in time by its distance from the uptime clock's start.
    ///
    /// - Parameter uptimeNanoseconds: nanoseconds since the clock's start. Zero means "now", at the
    ///   moment when the time is used. What is above 2^62 - 2 never comes either, but is kept as it
    ///   is.
    @inlinable
    public init(uptimeNanoseconds: UInt64) {
        self.rawValue = uptimeNanoseconds
    }

    /// The current time. Stands for `dispatch_time(DISPATCH_TIME_NOW, 0)`.
    @inline(__always)
    public static func now() -> DispatchTime {
        DispatchTime(rawValue: MonotonicClock.nanoseconds())
    }

    /// A time that never comes: a wait without a time-out. Stands for `DISPATCH_TIME_FOREVER`.
    @inlinable
    public static var distantFuture: DispatchTime { DispatchTime(rawValue: .max) }

    /// Nanoseconds since the uptime clock's start; `UInt64.max` for ``distantFuture`` and 0 for a
    /// time that was made from 0.
    @inlinable
    public var uptimeNanoseconds: UInt64 { rawValue }

    /// Whether `lhs` comes before `rhs`; no time comes after ``distantFuture``.
    @inlinable
    public static func < (lhs: DispatchTime, rhs: DispatchTime) -> Bool {
        lhs.rawValue < rhs.rawValue
    }

    /// Whether both are the same nanosecond.
    @inlinable
    public static func == (lhs: DispatchTime, rhs: DispatchTime) -> Bool {
        lhs.rawValue == rhs.rawValue
    }
}

extension DispatchTime {
    /// The last uptime that GCD's encoding can hold: the top bits are taken and the value above it
    /// is where GCD starts to saturate.
    @usableFromInline
    package static var latestFinite: UInt64 { (1 << 62) - 2 }

    /// The deadline on `CLOCK_MONOTONIC` in nanoseconds; `UInt64.max` when it never comes. Reads
    /// the clock for a time that was made from 0 ("now").
    @inlinable
    package var monotonicDeadline: UInt64 {
        if rawValue == 0 { return Self.now().rawValue }
        return rawValue > Self.latestFinite ? .max : rawValue
    }
}
