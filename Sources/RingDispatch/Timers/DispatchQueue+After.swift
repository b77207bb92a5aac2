extension DispatchQueue {
    /// Submits a block at a time, or up to a millisecond later.
    ///
    /// A time in the past submits at once, `.distantFuture` never. `dispatch_after`.
    public final func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: deadline.monotonicDeadline, on: .monotonic, qos: qos, flags: flags, work)
    }

    /// Submits a block at a wall-clock time; follows the clock when it is set.
    public final func asyncAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: wallDeadline.realtimeDeadline, on: .wall, qos: qos, flags: flags, work)
    }

    /// Submits a work item at a time, unless it has been cancelled by then.
    public final func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
        asyncAfter(deadline: deadline, qos: execute.qos, flags: execute.flags) { execute.perform() }
    }

    /// Submits a work item at a wall-clock time, unless it has been cancelled by then.
    public final func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
        asyncAfter(wallDeadline: wallDeadline, qos: execute.qos, flags: execute.flags) {
            execute.perform()
        }
    }

    /// Like `asyncAfter`, but returns an object that cancels the block, which frees the timer and
    /// the block's captures at once. An extension to GCD.
    @discardableResult
    public final func scheduleAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable () -> Void
    ) -> DispatchScheduledItem {
        let item = DispatchWorkItem(qos: qos, flags: flags, block: work)
        return schedule(item, at: deadline.monotonicDeadline, on: .monotonic)
    }

    /// Like `scheduleAfter(deadline:)`, at a wall-clock time. An extension to GCD.
    @discardableResult
    public final func scheduleAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
        flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable () -> Void
    ) -> DispatchScheduledItem {
        let item = DispatchWorkItem(qos: qos, flags: flags, block: work)
        return schedule(item, at: wallDeadline.realtimeDeadline, on: .wall)
    }

    private final func schedule(
        _ work: DispatchWorkItem, at deadline: UInt64, on clock: TimerClock
    ) -> DispatchScheduledItem {
        let loop = timerLoop(Context.current)
        let item = DispatchScheduledItem(work: work, queue: self, loop: loop, clock: clock)
        guard deadline != .max else { return item }
        if let window = window(deadline, on: clock) {
            loop.add(TimerSlot(window, item, action: DispatchScheduledItem.timerAction), on: clock)
        } else {
            item.fired()
        }
        return item
    }

    private final func submit(
        after deadline: UInt64, on clock: TimerClock, qos: DispatchQoS,
        flags: DispatchWorkItemFlags, _ work: @escaping Block
    ) {
        guard deadline != .max else { return }
        let context = Context.current
        let workItem = makeWorkItem(qos, flags, context, work)
        guard let window = window(deadline, on: clock) else {
            push(workItem, context)
            return
        }
        add(workItem, window, on: clock, context)
    }

    /// Adds a timer that pushes the work item.
    final func add(
        _ workItem: WorkItemPointer, _ window: TimerWindow, on clock: TimerClock, _ context: Context
    ) {
        let slot = TimerSlot(
            window, self, detail: UInt(bitPattern: workItem), action: DispatchQueue.timerAction)
        timerLoop(context).add(slot, on: clock)
    }

    /// Pushes the work item onto the queue.
    private static let timerAction = TimerAction { queue, workItem, context in
        guard let workItem = WorkItemPointer(bitPattern: workItem) else { return }
        Unmanaged<DispatchQueue>.fromOpaque(queue).takeRetainedValue().push(workItem, context)
    }

    /// The window for submitting at `deadline`; nil means now.
    final func window(_ deadline: UInt64, on clock: TimerClock) -> TimerWindow? {
        guard deadline > clock.now() else { return nil }
        return TimerWindow(deadline: deadline, leeway: DispatchScheduledItem.leeway)
    }
}
