internal import Synchronization

extension DispatchQueue {
    /// Puts a work item at the queue's end and sees to it that somebody looks after it.
    @inline(__always)
    final func push(_ workItem: WorkItemPointer, _ context: Context) {
        if kind == .global {
            if workItem.pointee.priority != Priority.background || priority == Priority.background {
                workItem.pointee.priority = max(workItem.pointee.priority, priority)
            }
            Runtime.push(workItem, from: context)
            return
        }
        // The thread that drains this queue owns its list: no other has to be told. What others,
        // or this thread before, put into the inbox goes first.
        if let frame = context.pointee.frame, frame.pointee.isDrain,
            frame.pointee.queue.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
        {
            front.append(all: incoming.takeAll())
            front.append(workItem)
            return
        }
        let priority = workItem.pointee.priority
        if state.load(ordering: .relaxed) == 0 && claimIdle() {
            // Until the queue is on its target's list it is the caller's. What somebody is about to
            // announce may be the caller's own, from before.
            front.append(all: incoming.takeAll())
            front.append(workItem)
            enqueueSelf(priority: max(priority, self.priority), context)
        } else if incoming.push(workItem) {
            wakeUp(priority: priority, context)
        }
    }

    /// Makes an idle queue the caller's, which is to put it onto its target.
    @inline(__always)
    private final func claimIdle() -> Bool {
        state.compareExchange(
            expected: 0, desired: QueueState.enqueued, ordering: .acquiringAndReleasing
        ).exchanged
    }

    @inline(__always)
    private final func wakeUp(priority: UInt8, _ context: Context) {
        let result = update { state in
            if state.isAttended || state.isStopped {
                state.set(QueueState.dirty)
            } else {
                state.set(QueueState.enqueued)
            }
            return true
        }
        if let result, result.new.isEnqueued && !result.old.isEnqueued {
            enqueueSelf(priority: max(priority, self.priority), context)
        }
    }

    /// Puts the queue, whose `enqueued` bit the caller set, onto its target.
    final func enqueueSelf(priority: UInt8, _ context: Context) {
        enqueue(Unmanaged.passRetained(self), priority: priority, context)
    }

    /// The same with a reference that the caller hands over.
    @inline(__always)
    final func enqueue(_ reference: Unmanaged<DispatchQueue>, priority: UInt8, _ context: Context) {
        pushToTarget(
            node.prepare(.queue, priority: priority, object: reference.toOpaque()), context)
    }

    @inline(__always)
    final func pushToTarget(_ workItem: WorkItemPointer, _ context: Context) {
        if let target {
            target.push(workItem, context)
        } else if kind == .main {
            MainThread.push(workItem)
        } else {
            Runtime.push(workItem, from: context)
        }
    }

    /// The first item, which the queue's holder may take; nil: there is none now.
    @inline(__always)
    final func firstItem() -> WorkItemPointer? {
        if front.isEmpty { front.append(all: incoming.takeAll()) }
        return front.first
    }

    /// Takes off what `firstItem` found.
    @inline(__always)
    final func removeFirst() {
        _ = front.popFirst()
    }
}
