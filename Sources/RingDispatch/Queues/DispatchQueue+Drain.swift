internal import Synchronization

extension DispatchQueue {
    /// Runs the items of a queue taken from its target's list. Consumes the list's reference.
    @inline(__always)
    final func drain(_ context: Context) {
        if kind == .concurrent { drainConcurrent(context) } else { drainSerial(context) }
    }

    private final func drainSerial(_ context: Context) {
        guard beginDrain(context) else { return }
        var quantum = DrainQuantum(start: BlockingHistory.start(context))
        withFrame(Unmanaged.passUnretained(self), isDrain: true, context) {
            while let workItem = nextSerial(&quantum, context) {
                _ = front.popFirst()
                if workItem.pointee.kind == .waiter {
                    noteDrain(quantum, context)
                    handOver(to: workItem, context)
                    return
                }
                context.beginItem()
                workItem.run(context)
                if quantum.isUsedUp(), yieldDrain(quantum, context) { return }
            }
        }
    }

    /// Makes the calling thread the queue's owner; false if the queue has been suspended.
    private final func beginDrain(_ context: Context) -> Bool {
        let result = change { state in
            if state.isStopped {
                state.clear(QueueState.enqueued)
                state.set(QueueState.dirty)
            } else {
                state.owner = context.pointee.identifier
                state.clear(QueueState.dirty)
            }
        }
        return result.new.owner == context.pointee.identifier
    }

    /// The next item; nil if the drain is over and the queue was released.
    @inline(__always)
    private final func nextSerial(
        _ quantum: inout DrainQuantum, _ context: Context
    ) -> WorkItemPointer? {
        while true {
            let state = QueueState(self.state.load(ordering: .relaxed))
            if !state.isStopped, let workItem = firstItem() { return workItem }
            noteDrain(quantum, context)
            if endDrain(whenStopped: state.isStopped) { return nil }
        }
    }

    /// Learns whether the queue's handlers block. Its last target does, for all that it drains.
    @inline(__always)
    private final func noteDrain(_ quantum: DrainQuantum, _ context: Context) {
        guard target == nil else { return }
        blocking.note(quantum.drainStart, items: quantum.items, context)
    }

    /// Releases the queue; false if its state changed and the drain must go on.
    final func endDrain(whenStopped: Bool) -> Bool {
        var isOver = false
        update { state in
            isOver = true
            if whenStopped {
                guard state.isStopped else {
                    isOver = false
                    return false
                }
                state.set(QueueState.dirty)
            } else if state.isDirty {
                state.clear(QueueState.dirty)
                isOver = false
                return true
            }
            state.owner = 0
            state.clear(QueueState.enqueued)
            return true
        }
        return isOver
    }

    /// Moves the queue to the back of its target's list; false if it has no items left.
    private final func yieldDrain(_ quantum: DrainQuantum, _ context: Context) -> Bool {
        guard let first = firstItem() else { return false }
        let priority = max(priority, first.pointee.priority)
        noteDrain(quantum, context)
        change { $0.owner = 0 }
        enqueueSelf(priority: priority, context)
        return true
    }

    /// Passes the queue, owned by the caller, to a thread that waits in `sync`.
    final func handOver(to workItem: WorkItemPointer, _ context: Context) {
        guard let object = context.pointee.items.take(workItem).workItem.object else { return }
        let waiter = ThreadHandle(address: object)
        let hasMore = !front.isEmpty || !incoming.isEmpty
        let identifier = waiter.identifier
        change { state in
            state.owner = identifier
            state.clear(QueueState.enqueued)
            if hasMore { state.set(QueueState.dirty) }
        }
        waiter.grant()
    }
}
