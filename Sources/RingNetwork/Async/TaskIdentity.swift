/// A task, to compare it, and to ask whether it is cancelled, while it exists.
struct TaskIdentity: Equatable {
    /// The task; 0: none.
    private let bits: UInt

    static let none = TaskIdentity(bits: 0)

    /// The caller's task.
    static var current: TaskIdentity {
        TaskIdentity(bits: withUnsafeCurrentTask { unsafeBitCast($0, to: UInt.self) })
    }

    /// May be asked by any thread.
    var isCancelled: Bool {
        // Safety: an optional `UnsafeCurrentTask` is the pointer to its task.
        unsafeBitCast(bits, to: UnsafeCurrentTask?.self)?.isCancelled ?? false
    }
}
