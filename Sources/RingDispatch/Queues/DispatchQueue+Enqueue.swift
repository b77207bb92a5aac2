internal import Synchronization

extension DispatchQueue {
    /// Appends a work item, and makes sure that a thread will drain the queue.
    @inline(__always)
    final func push(_ workItem: WorkItemPointer, _ context: Context) {
        if kind == .global {
            if workItem.pointee.priority != Priority.background || priority == Priority.background {
                workItem.pointee.priority = max(workItem.pointee.priority, priority)
            }
            // The item runs on this queue, whatever its priority.
            if workItem.pointee.kind == .block, workItem.pointee.priority != priority {
                workItem.pointee.object = Unmanaged.passUnretained(self).toOpaque()
            }
            Runtime.shared.push(workItem, from: context)
            return
        }
        // The draining thread owns the list, so it needs to wake no other. Items in the inbox were
        // submitted earlier and go first.
        if let frame = context.pointee.frame, frame.pointee.isDrain,
            frame.pointee.queue.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
        {
            front.append(all: incoming.takeAll())
            front.append(workItem)
            return
        }
        let priority = workItem.pointee.priority
        if state.load(ordering: .relaxed) == 0 && claimIdle() {
            // The list belongs to the caller until the queue is enqueued. The inbox may hold items
            // whose pusher has not called `wakeUp` yet, even older ones of the caller: they go
            // first.
            front.append(all: incoming.takeAll())
            front.append(workItem)
            enqueueSelf(priority: max(priority, self.priority), context)
        } else if incoming.push(workItem) {
            wakeUp(priority: priority, context)
        }
    }

    /// Claims an idle queue. The caller must then enqueue it on its target.
    @inline(__always)
    private final func claimIdle() -> Bool {
        state.compareExchange(
            expected: 0, desired: QueueState.enqueued, ordering: .acquiringAndReleasing
        ).exchanged
    }

    @inline(__always)
    final func wakeUp(priority: UInt8, _ context: Context) {
        let result = change { state in
            if state.isAttended || state.isStopped {
                state.set(QueueState.dirty)
            } else {
                state.set(QueueState.enqueued)
            }
        }
        if result.new.isEnqueued && !result.old.isEnqueued {
            enqueueSelf(priority: max(priority, self.priority), context)
        }
    }

    /// Enqueues the queue on its target. The caller has set the `enqueued` bit.
    final func enqueueSelf(priority: UInt8, _ context: Context) {
        let reference = Unmanaged.passRetained(self)
        let workItem = node.prepare(.queue, priority: priority, object: reference.toOpaque())
        if let target {
            target.push(workItem, context)
        } else if kind == .main {
            MainThread.push(workItem)
        } else if kind == .concurrent ? Runtime.shared.pool.blocks.isAway : blocking.isAway {
            Runtime.shared.pushAway(workItem)
        } else {
            Runtime.shared.push(workItem, from: context)
        }
    }

    /// The first item, which the queue's holder may take; nil if there is none.
    @inline(__always)
    final func firstItem() -> WorkItemPointer? {
        if front.isEmpty { front.append(all: incoming.takeAll()) }
        return front.first
    }
}
