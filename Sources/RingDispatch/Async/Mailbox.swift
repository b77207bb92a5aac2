internal import LinuxPlatform

/// What any threads leave for a task, which takes all of it at once.
///
/// One task may wait at a time. The mailbox itself has no limit: the threads that post keep the
/// content small.
package final class Mailbox<Content: Sendable>: Sendable {
    private struct State {
        var content: Content?
        var isFinished = false
        var waiting: UnsafeContinuation<Void, Never>?
    }

    /// Guards the content and the waiting task.
    private let state = Locked(State())

    package init() {}

    /// Changes the content, which is nil when there is none, and wakes the task. Returns what
    /// `change` returns; after `finish` it does nothing, and returns nil.
    @discardableResult
    package func post<Result: Sendable>(
        _ change: @Sendable (inout Content?) -> Result
    ) -> Result? {
        let (result, waiting) = state.withLock { state in
            guard !state.isFinished else {
                return (nil as Result?, nil as UnsafeContinuation<Void, Never>?)
            }
            return (change(&state.content), state.waiting.take())
        }
        waiting?.resume()
        return result
    }

    /// Nothing more comes.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            return state.waiting.take()
        }?.resume()
    }

    /// Waits for content and takes it; nil when there is none and nothing more comes, or when the
    /// task is cancelled: then even if there is content.
    package func next() async -> Content? {
        await withTaskCancellationHandler {
            // A later cancellation finds the task waiting.
            await next(unless: { Task.isCancelled })
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume()
        }
    }

    /// The same, for a task whose cancellation calls `finish` or `post`.
    package func nextUninterrupted() async -> Content? {
        await next(unless: { false })
    }

    /// - Parameter isOver: whether the task must not wait, also asked under the lock.
    private func next(unless isOver: @Sendable () -> Bool) async -> Content? {
        while !isOver() {
            let (content, isFinished) = state.withLock { ($0.content.take(), $0.isFinished) }
            if content != nil || isFinished { return content }
            await withUnsafeContinuation { continuation in
                let mayWait = state.withLock { state in
                    if state.waiting != nil {
                        fatalMisuse(
                            "two tasks wait for the next element of one asynchronous sequence")
                    }
                    if state.content != nil || state.isFinished || isOver() { return false }
                    state.waiting = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        }
        return nil
    }
}
