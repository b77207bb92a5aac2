/// A queue that runs one item at a time, and can be an actor's executor.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
    // Safety: as its superclass.
    override class var fixedKind: Kind? { .serial }
}

extension DispatchSerialQueue: SerialExecutor {
    /// Runs an actor's job as an item of the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Ends the process unless the caller is on the queue.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self))
    }
}
