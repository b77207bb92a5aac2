internal import LinuxPlatform
internal import Synchronization

/// The wall clock for timers, which follow it when it is set.
package enum WallClock {
    /// Nanoseconds added to the clock, for tests. Relaxed: no other data depends on it.
    static let adjustment = Atomic<Int64>(0)

    /// Nanoseconds since 1970.
    static func nanoseconds() -> UInt64 {
        let time = RealtimeClock.nanoseconds()
        return time &+ UInt64(bitPattern: adjustment.load(ordering: .relaxed))
    }

    /// `deadline` converted to CLOCK_MONOTONIC; valid until the clock is set.
    static func monotonicDeadline(for deadline: UInt64) -> UInt64 {
        DispatchWallTime.monotonicDeadline(for: deadline, now: nanoseconds())
    }

    /// How often the clock was set. Store-then-check with a loop's state: a step stores this and
    /// wakes the loops that sleep; a loop announces its sleep and checks this.
    static let steps = Atomic<UInt64>(0)
}
