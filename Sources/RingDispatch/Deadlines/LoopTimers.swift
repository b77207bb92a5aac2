internal import LinuxPlatform
internal import Synchronization

/// A loop's timers: one queue per clock.
struct LoopTimers: ~Copyable {
    private let monotonic = TimerQueue()
    private let wall = TimerQueue()

    subscript(clock: TimerClock) -> TimerQueue {
        @inline(__always) _read {
            if clock == .monotonic { yield monotonic } else { yield wall }
        }
    }

    /// The first deadline on each clock.
    struct Firsts {
        fileprivate let monotonic: UInt64
        fileprivate let wall: UInt64
        /// The steps of the clock so far, which move the wall-clock timers; 0 if there are none.
        fileprivate let steps: UInt64

        /// When the loop must fire a timer, on CLOCK_MONOTONIC; .max means never.
        @inline(__always)
        var deadline: UInt64 {
            if wall == .max { return monotonic }
            return min(monotonic, WallClock.monotonicDeadline(for: wall))
        }

        /// Whether a timer earlier than `other`'s first on its clock was added since, or the clock
        /// was set.
        func isBefore(_ other: Firsts) -> Bool {
            monotonic < other.monotonic || wall < other.wall
                || (wall != .max && steps != other.steps)
        }
    }

    @inline(__always)
    var firsts: Firsts {
        let first = wall.earliest
        return Firsts(
            monotonic: monotonic.earliest, wall: first,
            steps: first == .max ? 0 : WallClock.steps.load(ordering: .sequentiallyConsistent))
    }

    /// When the loop must fire a timer, on CLOCK_MONOTONIC; .max means never.
    @inline(__always)
    var earliest: UInt64 { firsts.deadline }

    /// Pending timers.
    var count: Int { monotonic.count + wall.count }

    /// Fires the timers that are due, in the order of their deadlines.
    func fireDue(now: UInt64, _ context: Context) {
        guard wall.earliest != .max else { return monotonic.fireDue(now: now, context) }
        let (now, wallNow) = (MonotonicClock.nanoseconds(), WallClock.nanoseconds())
        var due = wall.takeDue(now: wallNow).map { (late: wallNow - $0.window.deadline, $0) }
        if due.isEmpty { return monotonic.fireDue(now: now, context) }
        due += monotonic.takeDue(now: now).map { (late: now - $0.window.deadline, $0) }
        due.sort { $0.late > $1.late }
        for (_, slot) in due { slot.fire(context) }
    }
}
