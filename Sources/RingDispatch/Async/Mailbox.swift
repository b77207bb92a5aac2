internal import LinuxPlatform

/// What any threads leave for a task, which takes all of it at once, or its first element.
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
    package func next() async -> Content? { await next { $0.take() } }

    /// The same for one element; the others stay. The content must not be empty.
    package func nextElement<Element: Sendable>() async -> Element?
    where Content == ArraySlice<Element> {
        await next { content in
            let element = content?.popFirst()
            if content?.isEmpty == true { content = nil }
            return element
        }
    }

    /// Like `next`, for a task whose cancellation calls `finish` or `post`.
    package func nextUninterrupted() async -> Content? {
        await next({ $0.take() }, unless: { false })
    }

    private func next<Part: Sendable>(
        _ take: @Sendable (inout Content?) -> Part?
    ) async -> Part? {
        await withTaskCancellationHandler {
            // A later cancellation finds the task waiting.
            await next(take, unless: { Task.isCancelled })
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume()
        }
    }

    /// - Parameters:
    ///   - take: takes something from the content, if there is any; runs under the lock.
    ///   - isOver: whether the task must not wait, also asked under the lock.
    private func next<Part: Sendable>(
        _ take: @Sendable (inout Content?) -> Part?, unless isOver: @Sendable () -> Bool
    ) async -> Part? {
        while !isOver() {
            let (part, isFinished) = state.withLock { (take(&$0.content), $0.isFinished) }
            if part != nil || isFinished { return part }
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
