/// What the runtime needs of the queues, which are built on it.
enum QueueLayer {
    /// Runs a work item that was taken from a run queue.
    // Safety: stored once, before there is a queue. All reads follow a push of a queue or of its
    // item, which releases.
    nonisolated(unsafe) private(set) static var run: (WorkItemPointer, Context) -> Void = {
        _, _ in fatalError("a work item exists before any queue")
    }
    /// The label of a queue that a thread has announced.
    // Safety: as above.
    nonisolated(unsafe) private(set) static var label: (UnsafeRawPointer) -> String = { _ in "" }

    static func set(
        run: @escaping (WorkItemPointer, Context) -> Void,
        label: @escaping (UnsafeRawPointer) -> String
    ) {
        self.run = run
        self.label = label
    }
}
