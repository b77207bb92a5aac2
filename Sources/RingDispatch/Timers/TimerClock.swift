internal import LinuxPlatform

/// Which clock a timer follows.
enum TimerClock: UInt8 {
    /// CLOCK_MONOTONIC: measures durations, and stops while the system sleeps.
    case monotonic
    /// CLOCK_REALTIME: the time of day, which somebody may set.
    case wall

    /// Nanoseconds on this clock.
    func now() -> UInt64 {
        switch self {
        case .monotonic: MonotonicClock.nanoseconds()
        case .wall: WallClock.nanoseconds()
        }
    }
}
