internal import LinuxPlatform

/// The core of a timer source, which reports the number of fires.
final class TimerSource: SourceCore {
    // Safety: the invoker owns `latched`, the heap's lock guards `timerIndex`, the rest is locked.
    /// The timer's index in the heap of `Schedule.loop`; -1 if it is in none.
    @exclusivity(unchecked) var timerIndex = -1
    private let schedule = Locked(Schedule())
    @exclusivity(unchecked) private var latched: UInt = 0

    private struct Schedule: Sendable {
        /// The next fire; .max means never.
        var deadline: UInt64 = .max
        /// In nanoseconds; 0 fires once.
        var interval: UInt64 = 0
        var leeway: UInt64 = 0
        /// The loop whose heap holds the timer, or held it until it fired; nil after removal.
        var loop: EventLoop?
        /// The number of replacements; a firing timer with an older number is ignored.
        var number: UInt32 = 0
        var clock = TimerClock.monotonic
        /// The timer has fired, and the handler has not been called since.
        var hasFired = false
        /// The source waits for the timer, so `schedule` must set it again.
        var isArmed = false
    }

    init(queue: DispatchQueue?) {
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String { "timer source" }

    /// Replaces the schedule, and drops the fires of the old one. Times are in nanoseconds.
    /// - Parameters:
    ///   - deadline: the first fire, on `clock`; .max means never.
    ///   - interval: 0 fires once.
    func schedule(deadline: UInt64, on clock: TimerClock, interval: UInt64, leeway: UInt64) {
        schedule.withLock { schedule in
            removeTimer(&schedule)
            schedule.clock = clock
            schedule.deadline = deadline
            schedule.interval = interval
            // The windows of a repeating timer must not overlap.
            schedule.leeway = interval > 0 ? min(leeway, interval / 2) : leeway
            schedule.hasFired = false
            schedule.number &+= 1
            if schedule.isArmed { addTimer(&schedule) }
        }
    }

    override func arm(_ context: Context) -> Bool {
        schedule.withLock { schedule in
            schedule.isArmed = true
            addTimer(&schedule)
        }
        return true
    }

    override func detach() { disarmForGood() }

    /// Removes a cancelled timer at once, however long its queue is busy.
    override func disarmForGood() {
        schedule.withLock { schedule in
            schedule.deadline = .max
            schedule.number &+= 1
            schedule.isArmed = false
            removeTimer(&schedule)
        }
    }

    private func addTimer(_ schedule: inout Schedule) {
        guard schedule.deadline != .max else { return }
        let loop = queue.timerLoop(Context.current)
        schedule.loop = loop
        let window = TimerWindow(deadline: schedule.deadline, leeway: schedule.leeway)
        loop.add(
            TimerSlot(
                window, self, detail: UInt(schedule.number), action: TimerSource.timerAction),
            on: schedule.clock)
    }

    private func removeTimer(_ schedule: inout Schedule) {
        // A timer that has already left the heap is ignored because of its number.
        _ = schedule.loop.take()?.timers[schedule.clock].remove(at: { timerIndex })
    }

    private static let timerAction = TimerAction(
        fire: { source, number, context in
            Unmanaged<TimerSource>.fromOpaque(source).takeRetainedValue().fired(number, context)
        },
        noteIndex: { source, index in
            Unmanaged<TimerSource>.fromOpaque(source)._withUnsafeGuaranteedRef {
                $0.timerIndex = index
            }
        })

    /// Runs on a loop when the timer of a schedule has left the heap.
    private func fired(_ number: UInt, _ context: Context) {
        let isValid = schedule.withLock { schedule -> Bool in
            guard schedule.isArmed, UInt(schedule.number) == number else { return false }
            schedule.hasFired = true
            schedule.isArmed = false
            return true
        }
        if isValid { wake(context, disarms: true) }
    }

    override func latch() -> Bool {
        latched = schedule.withLock { schedule -> UInt in
            guard schedule.hasFired else { return 0 }
            schedule.hasFired = false
            guard schedule.interval > 0 else {
                schedule.deadline = .max
                return 1
            }
            // Missed fires count, and the next one stays a multiple of the interval.
            let now = schedule.clock.now()
            let late = now > schedule.deadline ? now - schedule.deadline : 0
            let fires = late / schedule.interval + 1
            let (step, isOver) = fires.multipliedReportingOverflow(by: schedule.interval)
            let (next, isOver2) = schedule.deadline.addingReportingOverflow(step)
            schedule.deadline = isOver || isOver2 ? .max : next
            return UInt(fires)
        }
        return latched > 0
    }

    override var data: UInt { latched }
}
