internal import LinuxPlatform

/// The tasks of a listener's clients, which end, and are cancelled, with the call that waits for
/// them.
///
/// A task group would search its list of tasks at the end of each one: 0.4 ms with 20,000 clients.
final class ClientTasks: Sendable {
    private struct State {
        /// Those that have not ended; nil: `begin` is making it.
        var tasks: [UInt64: Task<Void, Never>?] = [:]
        var last: UInt64 = 0
        var isCancelled = false
        var waiting: UnsafeContinuation<Void, Never>?
    }
    private let state = Locked(State())

    /// Runs `body` in a task of its own, with the task-local values of the caller.
    func begin(on executor: any TaskExecutor, _ body: @escaping @Sendable () async -> Void) {
        let number = state.withLock { state in
            state.last += 1
            state.tasks[state.last] = .some(nil)
            return state.last
        }
        let task = Task(executorPreference: executor) {
            await body()
            self.ended(number)
        }
        let isCancelled = state.withLock { state in
            if state.tasks[number] != nil { state.tasks[number] = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func ended(_ number: UInt64) {
        state.withLock { state in
            state.tasks.removeValue(forKey: number)
            return state.tasks.isEmpty ? state.waiting.take() : nil
        }?.resume()
    }

    /// Returns when all tasks have ended. Begin no others.
    func end() async {
        await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.tasks.isEmpty { state.waiting = continuation }
                return state.tasks.isEmpty
            }
            if isOver { continuation.resume() }
        }
    }

    /// Cancels all tasks, and those that begin later.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values
        }
        for task in tasks { task?.cancel() }
    }
}
