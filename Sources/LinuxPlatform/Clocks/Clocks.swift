internal import CLinux
internal import Glibc

/// CLOCK_MONOTONIC of clock_gettime(2).
package enum MonotonicClock {
    package static func nanoseconds() -> UInt64 { read(CLOCK_MONOTONIC) }
}

/// CLOCK_REALTIME of clock_gettime(2).
package enum RealtimeClock {
    /// Since 1970.
    package static func nanoseconds() -> UInt64 { read(CLOCK_REALTIME) }
}

private func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// The CPU's pause instruction, for spin loops.
@inline(__always)
package func spinPause() { clinux_pause() }
