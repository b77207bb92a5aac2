public import Glibc
internal import LinuxPlatform

/// A point in time on the wall clock, for events at a time of day.
///
/// The clock is `CLOCK_REALTIME`, in nanoseconds. Timers follow it when it is set, `asyncAfter` and
/// `scheduleAfter` included. A wait converts its time-out once, when it begins. Arithmetic
/// saturates: a time before 1970 becomes 2 ns after its start (always in the past), one beyond
/// 2^62 - 2 ns (the year 2116) becomes ``distantFuture``, which never changes. Stands for a
/// `dispatch_time_t` made by `dispatch_walltime`.
@frozen
public struct DispatchWallTime: Comparable, Sendable {
    /// GCD's encoding: negated nanoseconds since 1970 (UTC), `UInt64.max` for ``distantFuture``.
    /// Later times have smaller raw values: compare times, not raw values.
    public let rawValue: dispatch_time_t

    @inlinable
    package init(rawValue: dispatch_time_t) {
        self.rawValue = rawValue
    }

    /// A point in time, by its distance from the start of 1970 (UTC).
    ///
    /// - Parameter timespec: seconds and nanoseconds, as from `clock_gettime(2)` or `stat(2)`.
    ///   Saturates as described at ``DispatchWallTime``.
    public init(timespec: Glibc.timespec) {
        // Safety: timespec is tv_sec and tv_nsec, both 64 bits wide like a long. Accessing them by
        // name depends on which C module a release build imports the type from.
        let parts = unsafeBitCast(timespec, to: (seconds: Int, nanoseconds: Int).self)
        let seconds = DispatchTimeInterval.seconds(parts.seconds).clampedNanoseconds
        let (sum, overflow) = seconds.addingReportingOverflow(Int64(parts.nanoseconds))
        self.init(nanosecondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// The current time. Stands for `dispatch_walltime(NULL, 0)`.
    public static func now() -> DispatchWallTime {
        let now = RealtimeClock.nanoseconds()
        return DispatchWallTime(nanosecondsSince1970: Int64(clamping: now))
    }

    /// A time that is never reached: a wait without a time-out. Stands for `DISPATCH_TIME_FOREVER`.
    @inlinable
    public static var distantFuture: DispatchWallTime { DispatchWallTime(rawValue: .max) }

    /// Whether `lhs` is earlier; no time is later than ``distantFuture``.
    @inlinable
    public static func < (lhs: DispatchWallTime, rhs: DispatchWallTime) -> Bool {
        lhs.realtimeDeadline < rhs.realtimeDeadline
    }
}

extension DispatchWallTime {
    /// Saturates at 2 ns: the raw values of 0 and 1 ns mean "now" and the distant future.
    package init(nanosecondsSince1970 nanoseconds: Int64) {
        if nanoseconds > Int64(DispatchTime.latestFinite) {
            self = .distantFuture
        } else {
            self.rawValue = UInt64(bitPattern: -max(2, nanoseconds))
        }
    }

    /// The deadline in nanoseconds since 1970 on `CLOCK_REALTIME`; `UInt64.max` means never.
    @inlinable
    package var realtimeDeadline: UInt64 {
        rawValue == .max ? .max : 0 &- rawValue
    }

    /// The deadline on `CLOCK_MONOTONIC`, by the clocks' current distance; `UInt64.max` means
    /// never. Invalid once the wall clock is set.
    package var monotonicDeadline: UInt64 {
        DispatchWallTime.monotonicDeadline(
            for: realtimeDeadline, now: RealtimeClock.nanoseconds())
    }

    /// A deadline of a wall clock, converted to `CLOCK_MONOTONIC`.
    /// - Parameter now: the wall clock's time, read after the monotonic one.
    static func monotonicDeadline(for deadline: UInt64, now: @autoclosure () -> UInt64) -> UInt64 {
        if deadline == .max { return .max }
        let monotonic = MonotonicClock.nanoseconds()
        let wall = now()
        if deadline < wall { return max(1, monotonic - min(monotonic, wall - deadline)) }
        let (sum, isOver) = monotonic.addingReportingOverflow(deadline - wall)
        return isOver ? .max - 1 : sum
    }
}
