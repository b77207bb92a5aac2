internal import CLinux

/// A task, to compare it, and to ask whether it is cancelled, while it exists.
package struct TaskIdentity: Equatable, Sendable {
    /// The task; nil: none.
    // Safety: only compared, or passed to the runtime as its own pointer.
    private nonisolated(unsafe) let task: UnsafeMutableRawPointer?

    package static let none = TaskIdentity(task: nil)

    /// The caller's task.
    package static var current: TaskIdentity { TaskIdentity(task: clinux_current_task()) }

    /// May be asked by any thread.
    package var isCancelled: Bool { task.map { clinux_task_is_cancelled($0) } ?? false }
}
