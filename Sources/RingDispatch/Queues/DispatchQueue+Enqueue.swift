internal import Synchronization

extension DispatchQueue {
    /// Puts a job at the queue's end and sees to it that somebody looks after it.
    @inline(__always)
    final func push(_ job: JobPointer, _ context: Context) {
        if kind == .global {
            if job.pointee.band != Band.background || band == Band.background {
                job.pointee.band = max(job.pointee.band, band)
            }
            Runtime.push(job, from: context)
            return
        }
        // The thread that drains this queue owns its list: no other has to be told. What others,
        // or this thread before, put into the inbox goes first.
        if let frame = context.pointee.frame, frame.pointee.isDrain,
            frame.pointee.queue.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
        {
            front.append(all: incoming.takeAll())
            front.append(job)
            return
        }
        let band = job.pointee.band
        if state.load(ordering: .relaxed) == 0 && claimIdle() {
            // Until the queue is on its target's list it is the caller's. What somebody is about to
            // announce may be the caller's own, from before.
            front.append(all: incoming.takeAll())
            front.append(job)
            enqueueSelf(band: max(band, self.band), context)
        } else if incoming.push(job) {
            wakeUp(band: band, context)
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
    private final func wakeUp(band: UInt8, _ context: Context) {
        let result = update { state in
            if state.isLookedAfter || state.isStopped {
                state.set(QueueState.dirty)
            } else {
                state.set(QueueState.enqueued)
            }
            return true
        }
        if let result, result.new.isEnqueued && !result.old.isEnqueued {
            enqueueSelf(band: max(band, self.band), context)
        }
    }

    /// Puts the queue, whose `enqueued` bit the caller set, onto its target.
    final func enqueueSelf(band: UInt8, _ context: Context) {
        enqueue(Unmanaged.passRetained(self), band: band, context)
    }

    /// The same with a reference that the caller hands over.
    @inline(__always)
    final func enqueue(_ reference: Unmanaged<DispatchQueue>, band: UInt8, _ context: Context) {
        pushToTarget(node.prepare(.queue, band: band, object: reference.toOpaque()), context)
    }

    @inline(__always)
    final func pushToTarget(_ job: JobPointer, _ context: Context) {
        if let target {
            target.push(job, context)
        } else if kind == .main {
            MainThread.push(job)
        } else {
            Runtime.push(job, from: context)
        }
    }

    /// The first item, which the queue's holder may take; nil: there is none now.
    @inline(__always)
    final func firstItem() -> JobPointer? {
        if front.isEmpty { front.append(all: incoming.takeAll()) }
        return front.first
    }

    /// Takes off what `firstItem` found.
    @inline(__always)
    final func removeFirst() {
        _ = front.popFirst()
    }
}
