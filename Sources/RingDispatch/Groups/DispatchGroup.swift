internal import Ring
internal import Synchronization

/// Counts work that is under way, and tells when none is left. `dispatch_group_t`.
public final class DispatchGroup: DispatchObject, @unchecked Sendable {
    // Safety: all state is atomic or locked.
    /// Bits 0-31: count. Bit 32: somebody waits or wants to be notified. Bits 33-63: how often the
    /// count came down to zero, so that a `wait` notices it although work came anew.
    /// `leave` (releasing) pairs with `wait` and `notify` (acquiring).
    private let state = Atomic<UInt64>(0)
    private let interested = Locked(Interested())

    private static let countMask: UInt64 = 0xffff_ffff
    private static let isAwaited: UInt64 = 1 << 32
    private static let oneGeneration: UInt64 = 1 << 33

    private struct Interested: Sendable {
        var waiters = WaitList()
        var notifications: [Notification] = []
    }

    private struct Notification: Sendable {
        let queue: DispatchQueue
        let workItem: DispatchWorkItem
    }

    /// `dispatch_group_create`.
    public override init() {
        super.init()
    }

    deinit {
        let count = state.load(ordering: .relaxed) & DispatchGroup.countMask
        if count > 0 {
            fatalMisuse("a group was released while \(count) of its enter() had no leave()")
        }
    }

    /// One more piece of work is under way. `dispatch_group_enter`.
    public func enter() {
        let old = state.wrappingAdd(1, ordering: .relaxed).oldValue
        if old & DispatchGroup.countMask == DispatchGroup.countMask {
            fatalMisuse("too many enter() calls on a group")
        }
    }

    /// A piece of work is done. More leaves than enters end the process. `dispatch_group_leave`.
    public func leave() {
        var old = state.load(ordering: .relaxed)
        while true {
            let count = old & DispatchGroup.countMask
            if count == 0 { fatalMisuse("unbalanced leave() of a group: it has no matching enter()") }
            var new = old - 1
            let isLast = count == 1
            if isLast {
                new = (new & ~DispatchGroup.isAwaited) &+ DispatchGroup.oneGeneration
            }
            let (exchanged, original) = state.weakCompareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing)
            if exchanged {
                if isLast && old & DispatchGroup.isAwaited != 0 { tellAll() }
                return
            }
            old = original
        }
    }

    @inline(never)
    private func tellAll() {
        let (waiters, notifications) = interested.withLock { interested in
            defer { interested.notifications = [] }
            return (interested.waiters.removeAll(), interested.notifications)
        }
        for waiter in waiters { waiter.grant() }
        for notification in notifications {
            notification.queue.async(execute: notification.workItem)
        }
    }

    /// Marks that somebody is interested; false when nothing is under way.
    /// Called with the lock, so that `tellAll` comes after.
    private func announceInterest() -> Bool {
        var old = state.load(ordering: .acquiring)
        while old & DispatchGroup.countMask != 0 {
            let (exchanged, original) = state.weakCompareExchange(
                expected: old, desired: old | DispatchGroup.isAwaited, ordering: .acquiring)
            if exchanged { return true }
            old = original
        }
        return false
    }

    // MARK: notify

    /// Submits a block to a queue when the work is done; at once when none is under way.
    /// `dispatch_group_notify`.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute work: @escaping @Sendable () -> Void
    ) {
        notify(queue: queue, work: DispatchWorkItem(qos: qos, flags: flags, block: work))
    }

    /// Submits a work item to a queue when the work is done.
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {
        let notification = Notification(queue: queue, workItem: work)
        let mustWait = interested.withLock { interested -> Bool in
            guard announceInterest() else { return false }
            interested.notifications.append(notification)
            return true
        }
        if !mustWait { queue.async(execute: work) }
    }

    // MARK: wait

    /// Waits until the work is done. `dispatch_group_wait`.
    public func wait() {
        _ = wait(deadline: nil)
    }

    /// Waits until the work is done, or until a time.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(deadline: timeout.monotonicDeadline)
    }

    /// Waits until the work is done, or until a time by the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(deadline: wallTimeout.monotonicDeadline)
    }

    private var isIdle: Bool {
        state.load(ordering: .acquiring) & DispatchGroup.countMask == 0
    }

    private func wait(deadline: UInt64?) -> DispatchTimeoutResult {
        if isIdle { return .success }
        if let deadline, deadline <= MonotonicClock.nanoseconds() { return .timedOut }
        let context = Context.current
        if context.pointee.spin.spin(until: { isIdle }) { return .success }
        let peer = context.pointee.peer
        let mustWait = interested.withLock { interested -> Bool in
            guard announceInterest() else { return false }
            interested.waiters.append(peer)
            return true
        }
        guard mustWait else { return .success }
        Blocking.lendLane(context)
        let finite = deadline == .max ? nil : deadline
        if peer.park(deadline: finite) { return .success }
        let isRemoved = interested.withLock { $0.waiters.remove(peer) }
        if isRemoved { return .timedOut }
        _ = peer.park()
        return .success
    }
}
