internal import LinuxPlatform

/// The clock that a timer follows.
enum TimerClock: UInt8 {
    /// CLOCK_MONOTONIC: measures durations; stops while the system is suspended.
    case monotonic
    /// CLOCK_REALTIME: the time of day, which can be set.
    case wall

    /// Nanoseconds on this clock.
    func now() -> UInt64 {
        switch self {
        case .monotonic: MonotonicClock.nanoseconds()
        case .wall: WallClock.nanoseconds()
        }
    }
}
