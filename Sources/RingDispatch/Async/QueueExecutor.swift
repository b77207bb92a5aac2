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

    package func enqueue(_ workItem: consuming ExecutorJob) {
        let workItem = UnownedJob(workItem)
        queue.submit { [self] in workItem.runSynchronously(on: asUnownedTaskExecutor()) }
        #if DEBUG
        QueueExecutor.observer?()
        #endif
    }
}
