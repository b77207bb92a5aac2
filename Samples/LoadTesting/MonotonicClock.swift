internal import Glibc

/// The clock of schedules and latencies: CLOCK_MONOTONIC.
enum MonotonicClock {
    /// clock_gettime(2).
    @inline(__always)
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
