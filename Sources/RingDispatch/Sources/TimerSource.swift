internal import Ring
internal import Synchronization

/// A timer source: tells how often its time came.
final class TimerSource: SourceCore, @unchecked Sendable {
    // Safety: `latched` belongs to the invoker, the rest is locked.
    private let schedule = Locked(Schedule())
    @exclusivity(unchecked) private var latched: UInt = 0

    private struct Schedule: @unchecked Sendable {
        // Safety: used inside the lock; the timer is owned by the source.
        /// The next fire, on CLOCK_MONOTONIC; .max: never.
        var deadline: UInt64 = .max
        /// 0: fires once.
        var interval: UInt64 = 0
        var leeway: UInt64 = 0
        /// The timer in the heap of `lane`. One that fires and is not this one is void.
        var timer: TimerPointer?
        var lane: Lane?
        /// It fired, and the handler has not been told.
        var hasFired = false
        /// The source waits for the timer: `schedule` has to set it anew.
        var isArmed = false
    }

    init(queue: DispatchQueue?) {
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String { "timer source" }

    /// Replaces the schedule, and drops what had come due under the old one.
    /// - Parameters:
    ///   - deadline: the first fire, on CLOCK_MONOTONIC; .max: never.
    ///   - interval: nanoseconds between fires; 0: one fire only.
    ///   - leeway: how much later each may come, nanoseconds.
    func schedule(deadline: UInt64, interval: UInt64, leeway: UInt64) {
        let lane = schedule.withLock { schedule -> Lane? in
            schedule.deadline = deadline
            schedule.interval = interval
            // A repeating timer's windows must not overlap.
            schedule.leeway = interval > 0 ? min(leeway, interval / 2) : leeway
            schedule.hasFired = false
            removeTimer(&schedule)
            return schedule.isArmed ? addTimer(&schedule) : nil
        }
        lane?.wakeIfIdle()
    }

    override func arm(_ context: Context) -> Bool {
        let lane = schedule.withLock { schedule -> Lane? in
            schedule.isArmed = true
            return addTimer(&schedule)
        }
        lane?.wakeIfIdle()
        return true
    }

    override func detach(wasInstalled: Bool, _ context: Context) -> Bool {
        schedule.withLock { schedule in
            schedule.deadline = .max
            removeTimer(&schedule)
        }
        return true
    }

    /// Sets a timer for the schedule; the lane that has to be woken for it.
    private func addTimer(_ schedule: inout Schedule) -> Lane? {
        guard schedule.deadline != .max else { return nil }
        let timer = TimerPointer.allocate(capacity: 1)
        let window = TimerWindow(deadline: schedule.deadline, leeway: schedule.leeway)
        timer.initialize(
            to: Timer(window: window, source: Unmanaged.passRetained(self)))
        let lane = Runtime.timerLane(for: Context.current)
        schedule.timer = timer
        schedule.lane = lane
        let isFirst = lane.timers.add(TimerHeap.Slot(timer))
        return isFirst && lane.mustWake(for: window.latest) ? lane : nil
    }

    private func removeTimer(_ schedule: inout Schedule) {
        guard let timer = schedule.timer, let lane = schedule.lane else { return }
        // One that has left the heap to fire is freed by `fired`.
        if lane.timers.remove(timer) {
            timer.pointee.source.release()
            timer.deallocate()
        }
        schedule.timer = nil
    }

    /// On a lane: the timer has left the heap.
    func fired(_ timer: TimerPointer) {
        let reference = TimerReference(timer: timer)
        let isValid = schedule.withLock { schedule -> Bool in
            // Freed inside the lock: until now `removeTimer` may have looked at it.
            defer { reference.timer.deallocate() }
            guard schedule.timer == reference.timer else { return false }
            schedule.timer = nil
            schedule.hasFired = true
            schedule.isArmed = false
            return true
        }
        guard isValid else { return }
        disarmed()
        wake(Context.current)
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
            let now = MonotonicClock.nanoseconds()
            let late = now > schedule.deadline ? now - schedule.deadline : 0
            let fires = late / schedule.interval + 1
            let (step, isOver) = fires.multipliedReportingOverflow(by: schedule.interval)
            let (next, isOver2) = schedule.deadline.addingReportingOverflow(step)
            schedule.deadline = isOver || isOver2 ? .max : next
            return UInt(fires)
        }
        return latched > 0
    }

    private struct TimerReference: @unchecked Sendable {
        // Safety: used inside the lock.
        let timer: TimerPointer
    }

    /// How often the time came since the handler's last call.
    var data: UInt { latched }
}
