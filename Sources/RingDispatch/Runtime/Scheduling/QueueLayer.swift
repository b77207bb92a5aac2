/// What the runtime needs of the queues, which are built on it.
enum QueueLayer {
    /// A C function has no context, which would be retained for each call.
    typealias Run = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

    // Safety: stored once, before there is a queue. All reads follow a push of a queue or of its
    // item, which releases.
    nonisolated(unsafe) private static var runWorkItem: Run = { _, _ in
        fatalError("a work item exists before any queue")
    }
    /// The label of a queue that a thread has announced.
    // Safety: as above.
    nonisolated(unsafe) private(set) static var label: (UnsafeRawPointer) -> String = { _ in "" }

    /// - Parameter run: gets a `WorkItemPointer` and a `Context`.
    static func set(run: Run, label: @escaping (UnsafeRawPointer) -> String) {
        runWorkItem = run
        self.label = label
    }

    /// Runs a work item that was taken from a run queue.
    @inline(__always)
    static func run(_ workItem: WorkItemPointer, _ context: Context) {
        runWorkItem(workItem, context)
    }
}
