internal import LinuxPlatform
internal import Synchronization

/// Counts pieces of pending work and reports when none is left. `dispatch_group_t`.
///
/// Releasing a group with pending work, an `enter` without its `leave`, ends the process.
public final class DispatchGroup: DispatchObject, @unchecked Sendable {
    // Safety: all state is atomic or locked. Bits 0-31: count. Bit 32: threads or notifications
    // wait. Bit 33: submitted items share one reference to the group. Bits 34-63: how often the
    // group has become empty, modulo 2^30. One step of `leave` changes all of them. `leave`
    // (releasing) pairs with `wait` and `notify` (acquiring).
    private let state = Atomic<UInt64>(0)
    private let interested = Locked<[Interest]>([])

    private static let countMask: UInt64 = 0xffff_ffff
    private static let isAwaited: UInt64 = 1 << 32
    private static let isHeld: UInt64 = 1 << 33
    private static let oneEmptying: UInt64 = 1 << 34

    /// A wait or a notification on a nonempty group, with the number of times that it was empty
    /// before: the leave that empties it ends those that began before it.
    private struct Interest: Sendable {
        let since: UInt64
        var waiter: ThreadHandle?
        var notification: Notification?
    }

    private struct Notification: Sendable {
        /// A pending notification keeps its group, also if nobody else does.
        let group: DispatchGroup
        let queue: DispatchQueue
        // Safety: the notification owns the work item until it is pushed.
        nonisolated(unsafe) let workItem: WorkItemPointer
    }

    /// `dispatch_group_create`.
    public override init() {
        super.init()
    }

    deinit {
        let count = state.load(ordering: .relaxed) & DispatchGroup.countMask
        if count > 0 {
            fatalMisuse("a group was released with \(count) enter() calls that have no leave()")
        }
    }

    /// Counts one more piece of work. `dispatch_group_enter`.
    public func enter() {
        let old = state.wrappingAdd(1, ordering: .relaxed).oldValue
        if old & DispatchGroup.countMask == DispatchGroup.countMask {
            fatalMisuse("too many enter() calls on a group")
        }
    }

    /// Counts one piece of work as done. More leaves than enters end the process.
    /// `dispatch_group_leave`.
    public func leave() {
        var old = state.load(ordering: .relaxed)
        while true {
            let count = old & DispatchGroup.countMask
            if count == 0 {
                fatalMisuse("unbalanced leave() of a group: it has no matching enter()")
            }
            // The leave that empties the group takes the items' reference over in the same step.
            // Afterwards another thread may see the group empty, use it again, and drop it.
            let new =
                count > 1
                ? old &- 1 : (old &- 1 &+ DispatchGroup.oneEmptying) & ~DispatchGroup.isHeld
            let (exchanged, original) = state.weakCompareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing)
            if exchanged { break }
            old = original
        }
        if old & DispatchGroup.countMask > 1 { return }
        if old & DispatchGroup.isAwaited != 0 {
            tellAll(emptiedBefore: old / DispatchGroup.oneEmptying)
        }
        if old & DispatchGroup.isHeld != 0 { Unmanaged.passUnretained(self).release() }
    }

    override func itemHasRun() { leave() }

    /// Enters for an item being submitted. The group stays alive until the item leaves it.
    func enterHolding() {
        let old = state.wrappingAdd(1, ordering: .relaxed).oldValue
        guard old & DispatchGroup.isHeld == 0 else { return }
        let before = state.bitwiseOr(DispatchGroup.isHeld, ordering: .relaxed).oldValue
        if before & DispatchGroup.isHeld == 0 { _ = Unmanaged.passRetained(self) }
    }

    /// - Parameter times: how often the group had become empty before.
    @inline(never)
    private func tellAll(emptiedBefore times: UInt64) {
        func isMeant(_ since: UInt64) -> Bool {
            // The number wraps around at 30 bits.
            (times &- since) & 0x3fff_ffff < 0x2000_0000
        }
        // The references are dropped outside the lock: they may be a queue's last.
        let due = interested.withLock { interested in
            let due = interested.filter { isMeant($0.since) }
            interested.removeAll { isMeant($0.since) }
            if interested.isEmpty { state.bitwiseAnd(~DispatchGroup.isAwaited, ordering: .relaxed) }
            // Pushed under the lock and before any wake-up, so that notifications of callers who
            // see the group empty go behind these.
            let context = Context.current
            for notification in due.lazy.compactMap(\.notification) {
                notification.queue.push(notification.workItem, context)
            }
            return due
        }
        withExtendedLifetime(due) {
            for interest in due { interest.waiter?.grant() }
        }
    }

    /// Sets the awaited bit and returns how often the group has become empty; nil if it is empty.
    /// Called under the lock, so that `tellAll` runs afterwards.
    private func announceInterest() -> UInt64? {
        var old = state.load(ordering: .acquiring)
        while old & DispatchGroup.countMask != 0 {
            let (exchanged, original) = state.weakCompareExchange(
                expected: old, desired: old | DispatchGroup.isAwaited, ordering: .acquiring)
            if exchanged { return old / DispatchGroup.oneEmptying }
            old = original
        }
        return nil
    }

    // MARK: notify

    /// Submits a block to a queue when the group becomes empty; at once if it is.
    /// `dispatch_group_notify`.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute work: @escaping () -> Void
    ) {
        // Safety: the block is called once, on the queue.
        nonisolated(unsafe) let work = work
        submit(to: queue, qos, flags) { work() }
    }

    func submit(
        to queue: DispatchQueue, _ qos: DispatchQoS, _ flags: DispatchWorkItemFlags,
        _ work: @escaping Block
    ) {
        let context = Context.current
        let notification = Notification(
            group: self, queue: queue, workItem: queue.makeWorkItem(qos, flags, context, work))
        let mustWait = interested.withLock { interested -> Bool in
            // The leave that emptied the group has yet to see to earlier ones: go behind them.
            guard let since = announceInterest() ?? interested.last?.since else { return false }
            interested.append(Interest(since: since, notification: notification))
            return true
        }
        if !mustWait { queue.push(notification.workItem, context) }
    }

    // MARK: wait

    /// Waits until the group is empty. `dispatch_group_wait`.
    public func wait() {
        _ = wait(deadline: .max)
    }

    /// Waits until the group is empty, with a time-out.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(deadline: timeout.monotonicDeadline)
    }

    /// Waits until the group is empty, with a time-out by the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(deadline: wallTimeout.monotonicDeadline)
    }

    private var isIdle: Bool {
        state.load(ordering: .acquiring) & DispatchGroup.countMask == 0
    }

    private func wait(deadline: UInt64) -> DispatchTimeoutResult {
        if isIdle { return .success }
        if deadline != .max, deadline <= MonotonicClock.nanoseconds() { return .timedOut }
        let context = Context.current
        if context.pointee.spin.spin(until: { isIdle }) { return .success }
        let threadHandle = context.pointee.threadHandle
        let mustWait = interested.withLock { interested -> Bool in
            guard let since = announceInterest() else { return false }
            interested.append(Interest(since: since, waiter: threadHandle))
            return true
        }
        guard mustWait else { return .success }
        Blocking.handOffLoop(context)
        if threadHandle.park(deadline: deadline) { return .success }
        let isRemoved = interested.withLock { interested -> Bool in
            let before = interested.count
            interested.removeAll { $0.waiter == threadHandle }
            return interested.count < before
        }
        if isRemoved { return .timedOut }
        _ = threadHandle.park()
        return .success
    }
}
