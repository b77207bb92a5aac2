internal import Ring

/// The two kernel clocks that deadlines are measured against.
package enum Clock {
    package static let nanosecondsPerSecond: UInt64 = 1_000_000_000

    /// `CLOCK_MONOTONIC` in nanoseconds: never steps, stands still while the system sleeps.
    package static func monotonicNanoseconds() -> UInt64 {
        MonotonicClock.nanoseconds()
    }

    /// `CLOCK_REALTIME` in nanoseconds since 1970 (UTC): steps when somebody sets the clock.
    package static func realtimeNanoseconds() -> UInt64 {
        MonotonicClock.realtimeNanoseconds()
    }
}
