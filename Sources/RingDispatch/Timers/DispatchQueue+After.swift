internal import Ring

extension DispatchQueue {
    /// Submits a block at a time, or up to a tenth of the wait (1 ms to 60 s) later.
    ///
    /// A time in the past submits at once, `.distantFuture` never. `dispatch_after`.
    @preconcurrency
    public final func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: deadline.monotonicDeadline, qos: qos, flags: flags, work)
    }

    /// Submits a block at a time by the wall clock.
    @preconcurrency
    public final func asyncAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: wallDeadline.monotonicDeadline, qos: qos, flags: flags, work)
    }

    /// Submits a work item at a time, unless it was cancelled by then.
    public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
        submit(after: deadline.monotonicDeadline, execute)
    }

    /// Submits a work item at a time by the wall clock, unless it was cancelled by then.
    public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
        submit(after: wallDeadline.monotonicDeadline, execute)
    }

    private final func submit(
        after deadline: UInt64, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        _ work: @escaping Block
    ) {
        guard deadline != .max else { return }
        let context = Context.current
        let job = context.pointee.jobs.make(
            Job(
                kind: .block, band: itemBand(qos, flags),
                isBarrier: flags.contains(.barrier) && kind == .concurrent, block: work))
        submit(after: deadline, job, context)
    }

    private final func submit(after deadline: UInt64, _ workItem: DispatchWorkItem) {
        guard deadline != .max else { return }
        let context = Context.current
        submit(after: deadline, makeJob(workItem, group: nil, context), context)
    }

    private final func submit(after deadline: UInt64, _ job: JobPointer, _ context: Context) {
        let now = MonotonicClock.nanoseconds()
        guard deadline > now else {
            push(job, context)
            return
        }
        let leeway = min(max((deadline - now) / 10, 1_000_000), 60_000_000_000)
        let window = TimerWindow(deadline: deadline, leeway: leeway)
        let lane = Runtime.timerLane(for: context)
        let isFirst = lane.timers.add(TimerHeap.Slot(window, queue: self, job: job))
        if isFirst && lane.mustWake(for: window.latest) { lane.wakeIfIdle() }
    }
}
