internal import CLinux
internal import Glibc

/// clock_gettime(2).
package enum MonotonicClock {
    /// CLOCK_MONOTONIC, in nanoseconds.
    package static func nanoseconds() -> UInt64 {
        read(CLOCK_MONOTONIC)
    }

    /// CLOCK_REALTIME, in nanoseconds since 1970.
    package static func realtimeNanoseconds() -> UInt64 {
        read(CLOCK_REALTIME)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The CPU's pause instruction, for spin loops.
@inline(__always)
package func spinPause() { clinux_pause() }
