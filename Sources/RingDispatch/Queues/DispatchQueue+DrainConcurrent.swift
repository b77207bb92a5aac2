internal import Synchronization

extension DispatchQueue {
    /// Items of a concurrent queue that are started at once.
    static let concurrentBatch = 64

    /// Starts items of a concurrent queue in order, and runs barriers alone.
    ///
    /// The caller came off the target's list and has the `enqueued` bit, so that it is the only one
    /// here; items and readers it let go meanwhile only count `running` down.
    final func drainConcurrent(_ context: Context) {
        var quantum = DrainQuantum()
        while true {
            let state = QueueState(self.state.load(ordering: .acquiring))
            if state.isStopped {
                if endDrain(whenStopped: true) { return }
                continue
            }
            guard let job = firstItem() else {
                if endDrain(whenStopped: false) { return }
                continue
            }
            if job.pointee.isBarrier {
                if !runBarrier(job, context) { return }
                if quantum.isUsedUp() {
                    enqueueSelf(band: band, context)
                    return
                }
            } else if !startShared(context) {
                return
            }
        }
    }

    /// Runs a barrier when nothing else runs; false when the drain is over: it has to wait, or a
    /// waiting thread got the queue.
    private final func runBarrier(_ job: JobPointer, _ context: Context) -> Bool {
        var mayRun = false
        update { state in
            mayRun = state.running == 0
            if mayRun {
                state.owner = context.pointee.identifier
            } else {
                // The last one that runs now enqueues the queue again.
                state.set(QueueState.barrierPending)
                state.clear(QueueState.enqueued)
            }
            return true
        }
        guard mayRun else { return false }
        removeFirst()
        if job.pointee.kind == .waiter {
            handOver(to: job, context)
            return false
        }
        withFrame(
            Unmanaged.passUnretained(self), isDrain: true, isExclusive: true, context
        ) {
            job.run(context)
        }
        update { state in
            state.owner = 0
            return true
        }
        return true
    }

    /// Starts the items before the next barrier; false when too many run already: the last of
    /// those enqueues the queue again.
    private final func startShared(_ context: Context) -> Bool {
        var count = 0
        var job = front.first
        while let next = job, !next.pointee.isBarrier, count < DispatchQueue.concurrentBatch {
            count += 1
            job = next.pointee.next
        }
        // Room in the word is reserved before anything starts.
        var hasRoom = false
        var wasHeld = false
        update { state in
            hasRoom = state.running + count <= QueueState.maximumRunning
            if hasRoom {
                wasHeld = state.isHeld
                state.set(QueueState.held)
                state.word += QueueState.oneRunning * UInt64(count)
            } else {
                state.set(QueueState.barrierPending)
                state.clear(QueueState.enqueued)
            }
            return true
        }
        guard hasRoom else { return false }
        if !wasHeld { _ = Unmanaged.passRetained(self) }
        var started = JobChain()
        for _ in 0..<count {
            guard let job = front.popFirst() else { break }
            if job.pointee.kind == .waiter {
                letIn(job, context)
            } else {
                started.append(throughSelf(job, context))
            }
        }
        startAll(started, context)
        return true
    }

    /// A reader that waits in `sync` goes on; its place in `running` is taken.
    private final func letIn(_ job: JobPointer, _ context: Context) {
        guard let object = context.pointee.items.take(job).job.object else { return }
        Peer(address: object).grant()
    }

    /// Makes an item give its place in `running` back when it is done.
    private final func throughSelf(_ job: JobPointer, _ context: Context) -> JobPointer {
        let reference = Unmanaged.passUnretained(self)
        job.pointee.band = max(job.pointee.band, band)
        let kind = job.pointee.kind
        if kind == .block && job.item.pointee.through == nil {
            job.item.pointee.through = reference
            return job
        }
        let outer = context.pointee.items.make(
            Item(kind: .nested, band: job.pointee.band, object: UnsafeMutableRawPointer(job)))
        outer.item.pointee.through = reference
        return outer
    }

    /// Sends items on to the target.
    private final func startAll(_ jobs: consuming JobChain, _ context: Context) {
        guard let target else {
            Runtime.push(jobs, band: band, from: context)
            return
        }
        var rest = jobs.inOrder()
        while let job = rest {
            rest = job.pointee.next
            target.push(job, context)
        }
    }

    /// One that shared a concurrent queue is done.
    @inline(__always)
    final func leaveShared(_ context: Context) {
        let result = update { state in
            state.word -= QueueState.oneRunning
            guard state.running == 0 else { return true }
            state.clear(QueueState.held)
            if state.isBarrierPending {
                state.clear(QueueState.barrierPending)
                state.set(state.isStopped ? QueueState.dirty : QueueState.enqueued)
            }
            return true
        }
        if let result, result.new.running == 0 { lastLeft(result.old, result.new, context) }
    }

    private final func lastLeft(_ old: QueueState, _ new: QueueState, _ context: Context) {
        if new.isEnqueued && !old.isEnqueued { enqueueSelf(band: band, context) }
        if old.isHeld { Unmanaged.passUnretained(self).release() }
    }
}
