internal import Glibc

/// The two kernel clocks that deadlines are measured against.
///
/// Both are read through the vDSO, in some tens of nanoseconds and without a system call. See
/// `clock_gettime(2)`.
package enum Clock {
    package static let nanosecondsPerSecond: UInt64 = 1_000_000_000

    /// `CLOCK_MONOTONIC` in nanoseconds: never steps, stands still while the system sleeps.
    @inline(__always)
    package static func monotonicNanoseconds() -> UInt64 {
        read(CLOCK_MONOTONIC)
    }

    /// `CLOCK_REALTIME` in nanoseconds since 1970 (UTC): steps when somebody sets the clock.
    @inline(__always)
    package static func realtimeNanoseconds() -> UInt64 {
        read(CLOCK_REALTIME)
    }

    @inline(__always)
    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // Cannot fail: both clocks exist on each Linux kernel and the pointer is valid. The kernel
        // refuses a real time before 1970, so neither field is negative.
        clock_gettime(clock, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* nanosecondsPerSecond
            &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
}
