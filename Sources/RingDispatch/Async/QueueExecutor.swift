#if compiler(>=6.3) && compiler(<6.4)
@_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// Runs the parts of a task on a queue: an executor preference.
///
/// It is an object of its own, because an actor's executor, as which the queue itself can serve,
/// runs work items in a different way.
package final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(_ queue: DispatchQueue) { self.queue = queue }

    #if DEBUG
    /// For tests: called with each part of a task that is submitted.
    // Safety: set in a process of its own, before the first task.
    package nonisolated(unsafe) static var observer: (@Sendable () -> Void)?
    #endif

    /// Whether the calling task is on the queue and comes back to it after each wait. A task that
    /// does not prefer the queue may be on it, too, but goes on elsewhere.
    package var isCurrent: Bool {
        queue.isCurrent
            && withUnsafeCurrentTask { $0?.unownedTaskExecutor == asUnownedTaskExecutor() }
    }

    package func enqueue(_ workItem: consuming ExecutorJob) {
        #if compiler(>=6.3) && compiler(<6.4)
        // What a called actor does for all its callers. Here it would wait for this queue's
        // handlers, which may block, or wait for one of those callers.
        let isOfActor = workItem.kind != .task
        #else
        let isOfActor = false
        #endif
        let workItem = UnownedJob(workItem)
        let context = Context.current
        if isOfActor {
            DispatchQueue.global().submit { SwiftJob(workItem).run() }
        } else if context.pointee.resuming == Unmanaged.passUnretained(self).toOpaque() {
            context.pointee.resuming = nil
            context.pointee.resumed = workItem
        } else {
            queue.submit { [self] in run(workItem) }
        }
        #if DEBUG
        QueueExecutor.observer?()
        #endif
    }

    private func run(_ workItem: UnownedJob) {
        workItem.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Resumes a task that prefers this executor, and runs it until its next wait before this call
    /// returns. Only for a handler on the queue that no task has called: what an event's handler
    /// touched is still in the cache, and nothing is queued.
    package func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        let context = Context.current
        context.pointee.resuming = Unmanaged.passUnretained(self).toOpaque()
        continuation.resume()
        context.pointee.resuming = nil
        if let workItem = context.pointee.resumed.take() { run(workItem) }
    }
}
