internal import LinuxPlatform

/// All timers of a loop: a queue for each clock.
struct LoopTimers {
    private let monotonic = TimerQueue()
    private let wall = TimerQueue()

    @inline(__always)
    subscript(clock: TimerClock) -> TimerQueue { clock == .monotonic ? monotonic : wall }

    /// The first timer of each clock.
    struct Firsts {
        fileprivate let monotonic: UInt64
        fileprivate let wall: UInt64

        /// When the loop has to fire the first of all, on CLOCK_MONOTONIC; .max: never.
        @inline(__always)
        var deadline: UInt64 {
            if wall == .max { return monotonic }
            return min(monotonic, WallClock.monotonicDeadline(for: wall))
        }

        /// Whether a timer was added since `other` that comes before it on its clock.
        func isBefore(_ other: Firsts) -> Bool { monotonic < other.monotonic || wall < other.wall }
    }

    @inline(__always)
    var firsts: Firsts { Firsts(monotonic: monotonic.earliest, wall: wall.earliest) }

    /// When the loop has to fire the next one, on CLOCK_MONOTONIC; .max: never.
    @inline(__always)
    var earliest: UInt64 { firsts.deadline }

    /// Timers that are set.
    var count: Int { monotonic.count + wall.count }

    /// Fires what is due.
    /// - Parameter now: on CLOCK_MONOTONIC.
    func fireDue(now: UInt64, _ context: Context) {
        monotonic.fireDue(now: now, context)
        if wall.earliest != .max { wall.fireDue(now: WallClock.nanoseconds(), context) }
    }
}

extension EventLoop {
    /// Sets a timer, and wakes the loop if it would sleep too long.
    func add(_ slot: TimerSlot, on clock: TimerClock) {
        let isFirst = timers[clock].add(slot)
        if clock == .wall { WallClock.watchSteps() }
        guard isFirst else { return }
        let latest = slot.window.latest
        if mustWake(for: clock == .wall ? WallClock.monotonicDeadline(for: latest) : latest) {
            wakeIfIdle()
        }
    }
}
