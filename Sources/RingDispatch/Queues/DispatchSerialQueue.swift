/// A queue that runs one item at a time. It can serve as an actor's executor.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
    // Safety: as its superclass.
    override class var fixedKind: Kind? { .serial }
}

extension DispatchSerialQueue: SerialExecutor {
    /// Runs an actor's work item as an item of the queue.
    public func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        submit { workItem.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Ends the process unless the caller is on the queue.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self))
    }

    /// Whether the caller is on the queue.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
