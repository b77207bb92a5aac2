import Glibc

/// The time of day for events.
enum WallClock {
    /// Nanoseconds since 1970. clock_gettime(2).
    static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
