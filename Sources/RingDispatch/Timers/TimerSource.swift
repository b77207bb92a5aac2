internal import LinuxPlatform
internal import Synchronization

/// A timer source: reports how often it fired.
final class TimerSource: SourceCore, @unchecked Sendable {
    // Safety: `latched` belongs to the invoker, `timerIndex` to the heap, the rest is locked.
    /// The timer's place in the heap of `Schedule.loop`; -1: in none.
    @exclusivity(unchecked) var timerIndex = -1
    private let schedule = Locked(Schedule())
    @exclusivity(unchecked) private var latched: UInt = 0

    private struct Schedule: Sendable {
        /// The next fire; .max: never.
        var deadline: UInt64 = .max
        /// 0: fires once.
        var interval: UInt64 = 0
        var leeway: UInt64 = 0
        /// Where the timer is, or was when it fired; nil: it was taken out.
        var loop: EventLoop?
        /// How often the schedule was replaced: a timer of an earlier one that fires is void.
        var number: UInt32 = 0
        var clock = TimerClock.monotonic
        /// It fired, and the handler has not been called since.
        var hasFired = false
        /// The source waits for the timer: `schedule` has to set it again.
        var isArmed = false
    }

    init(queue: DispatchQueue?) {
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String { "timer source" }

    /// Replaces the schedule, and drops what had come due under the old one.
    /// - Parameters:
    ///   - deadline: the first fire, on `clock`; .max: never.
    ///   - interval: nanoseconds between fires; 0: one fire only.
    ///   - leeway: how much later each may come, nanoseconds.
    func schedule(deadline: UInt64, on clock: TimerClock, interval: UInt64, leeway: UInt64) {
        schedule.withLock { schedule in
            removeTimer(&schedule)
            schedule.clock = clock
            schedule.deadline = deadline
            schedule.interval = interval
            // A repeating timer's windows must not overlap.
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

    override func detach(wasInstalled: Bool, _ context: Context) -> Bool {
        disarmForGood()
        return true
    }

    /// Nothing of a cancelled timer stays in the heap, however long its queue is busy.
    override func disarmForGood() {
        schedule.withLock { schedule in
            schedule.deadline = .max
            schedule.number &+= 1
            removeTimer(&schedule)
        }
    }

    /// Sets a timer for the schedule.
    private func addTimer(_ schedule: inout Schedule) {
        guard schedule.deadline != .max else { return }
        let loop = Runtime.timerLoop(for: Context.current)
        schedule.loop = loop
        let window = TimerWindow(deadline: schedule.deadline, leeway: schedule.leeway)
        loop.add(
            TimerSlot(window, source: self, schedule: UInt(schedule.number)), on: schedule.clock)
    }

    private func removeTimer(_ schedule: inout Schedule) {
        // One that has left the heap to fire is void by its number.
        _ = schedule.loop.take()?.timers[schedule.clock].remove(at: { timerIndex })
    }

    /// On a loop: the timer has left the heap, and hands its reference over.
    static func fired(
        _ reference: Unmanaged<TimerSource>, schedule number: UInt, _ context: Context
    ) {
        let isValid = reference._withUnsafeGuaranteedRef { source in
            source.schedule.withLock { schedule -> Bool in
                guard schedule.isArmed, UInt(schedule.number) == number else { return false }
                schedule.hasFired = true
                schedule.isArmed = false
                return true
            }
        }
        if isValid {
            SourceCore.disarmAndWake(.fromOpaque(reference.toOpaque()), context)
        } else {
            reference.release()
        }
    }

    override func latch() -> Bool {
        latched = schedule.withLock { schedule -> UInt in
            guard schedule.hasFired else { return 0 }
            schedule.hasFired = false
            guard schedule.interval > 0 else {
                schedule.deadline = .max
                return 1
            }
            // Fires that were missed count, and the next one keeps to the original rhythm.
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

    /// How often the timer fired since the handler's last call.
    var data: UInt { latched }
}
