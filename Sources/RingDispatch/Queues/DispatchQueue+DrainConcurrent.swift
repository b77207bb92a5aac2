internal import Synchronization

extension DispatchQueue {
    /// Items started at once.
    static let concurrentBatch = 64

    /// Starts the items of a concurrent queue in order, and runs barriers alone.
    ///
    /// The caller took the queue from its target's list and has its `enqueued` bit, so no other
    /// thread drains it. Running items and readers only decrement `running`.
    final func drainConcurrent(_ context: Context) {
        var quantum = DrainQuantum()
        while true {
            let state = QueueState(self.state.load(ordering: .acquiring))
            guard !state.isStopped, let workItem = firstItem() else {
                if endDrain(whenStopped: state.isStopped) { return }
                continue
            }
            if workItem.pointee.isBarrier {
                if !runBarrier(workItem, context) { return }
                if quantum.isUsedUp() {
                    enqueueSelf(priority: priority, context)
                    return
                }
            } else if !startShared(context) {
                return
            }
        }
    }

    /// Runs a barrier if nothing else runs. False ends the drain: the barrier must wait, or a
    /// waiting thread received the queue.
    private final func runBarrier(_ workItem: WorkItemPointer, _ context: Context) -> Bool {
        var mayRun = false
        change { state in
            mayRun = state.running == 0
            if mayRun {
                state.owner = context.pointee.identifier
            } else {
                // The last running item enqueues the queue again.
                state.set(QueueState.barrierPending)
                state.clear(QueueState.enqueued)
            }
        }
        guard mayRun else { return false }
        _ = front.popFirst()
        if workItem.pointee.kind == .waiter {
            handOver(to: workItem, context)
            return false
        }
        withSharedFrame(Unmanaged.passUnretained(self), isDrain: true, context) {
            workItem.run(context)
        }
        change { $0.owner = 0 }
        return true
    }

    /// Starts the items before the next barrier. False if too many are running; one of them
    /// enqueues the queue again when there is room.
    private final func startShared(_ context: Context) -> Bool {
        var count = 0
        var workItem = front.first
        while let next = workItem, !next.pointee.isBarrier, count < DispatchQueue.concurrentBatch {
            count += 1
            workItem = next.pointee.next
        }
        // Room in `running` is reserved before any item starts.
        var hasRoom = false
        var wasHeld = false
        change { state in
            hasRoom = state.hasRoom(for: count)
            if hasRoom {
                wasHeld = state.isHeld
                state.set(QueueState.held)
                state.word += QueueState.oneRunning * UInt64(count)
            } else {
                state.set(QueueState.full)
                state.clear(QueueState.enqueued)
            }
        }
        guard hasRoom else { return false }
        if !wasHeld { _ = Unmanaged.passRetained(self) }
        var started = WorkItemList()
        for _ in 0..<count {
            guard let workItem = front.popFirst() else { break }
            if workItem.pointee.kind == .waiter {
                letIn(workItem, context)
            } else {
                started.append(throughSelf(workItem, context))
            }
        }
        if let target {
            started.first.forEach { target.push($0, context) }
        } else {
            Runtime.shared.push(started, priority: priority, from: context)
        }
        return true
    }

    /// Wakes a reader that waits in `sync`, and has its place in `running`.
    private final func letIn(_ workItem: WorkItemPointer, _ context: Context) {
        guard let object = context.pointee.items.take(workItem).workItem.object else { return }
        ThreadHandle(address: object).grant()
    }

    /// Arranges that the item decrements `running` when it is done.
    private final func throughSelf(_ workItem: WorkItemPointer, _ context: Context)
        -> WorkItemPointer
    {
        let reference = Unmanaged.passUnretained(self)
        workItem.pointee.priority = max(workItem.pointee.priority, priority)
        let kind = workItem.pointee.kind
        if kind == .block && workItem.item.pointee.through == nil {
            workItem.item.pointee.through = reference
            return workItem
        }
        let outer = context.pointee.items.make(
            SubmittedItem(
                kind: .nested, priority: workItem.pointee.priority,
                object: UnsafeMutableRawPointer(workItem)))
        outer.item.pointee.through = reference
        return outer
    }

    /// Decrements `running` after an item or reader is done.
    @inline(__always)
    final func leaveShared(_ context: Context) {
        let result = update { state in
            if state.isFull, state.hasRoom(for: DispatchQueue.concurrentBatch) { return false }
            state.word -= QueueState.oneRunning
            guard state.running == 0 else { return true }
            state.clear(QueueState.held)
            if state.isBarrierPending {
                state.clear(QueueState.barrierPending)
                state.set(state.isStopped ? QueueState.dirty : QueueState.enqueued)
            }
            return true
        }
        guard let result else { return goOn(context) }
        if result.new.running == 0 { lastLeft(result.old, result.new, context) }
    }

    /// There is room again: has the queue drained. The caller's place in `running` keeps the queue
    /// until then.
    @inline(never)
    private final func goOn(_ context: Context) {
        let result = update { state in
            guard state.isFull else { return false }
            state.clear(QueueState.full)
            state.set(state.isStopped ? QueueState.dirty : QueueState.enqueued)
            return true
        }
        if let result, result.new.isEnqueued { enqueueSelf(priority: priority, context) }
        leaveShared(context)
    }

    private final func lastLeft(_ old: QueueState, _ new: QueueState, _ context: Context) {
        if new.isEnqueued && !old.isEnqueued { enqueueSelf(priority: priority, context) }
        if old.isHeld { Unmanaged.passUnretained(self).release() }
    }
}
