import Glibc

/// Calls of io_uring_enter(2) that fail, in a child process: a thread answers all of them in place
/// of the kernel, or lets the kernel go on.
package final class RefusedEnters: Sendable {
    /// What the kernel says when it is short of memory, when its queues are full, and when a signal
    /// has arrived.
    package static let all = [ENOMEM, EAGAIN, EBUSY, EINTR]

    private let state: Watched<State>

    private struct State {
        var errors: [Int32]
        /// Calls that the kernel has got.
        var passed = 0
    }

    /// - Parameter errors: of the next calls, in this order. Later calls succeed.
    /// - Returns: nil where that is impossible.
    package init?(_ errors: [Int32]) {
        let state = Watched(State(errors: errors))
        self.state = state
        let isAnswered = CallFilter.answer([
            .load(0), .skip(1, unless: 426), .end(CallFilter.notify), .end(CallFilter.allow),
        ]) {
            state.update { state in
                if state.errors.isEmpty {
                    state.passed += 1
                    return 0
                }
                return state.errors.removeFirst()
            }
        }
        if !isAnswered { return nil }
    }

    /// Lets further calls fail.
    package func add(_ errors: [Int32]) { state.update { $0.errors += errors } }

    /// Ends the process without exit handlers: LeakSanitizer's cannot stop the thread that answers.
    package static func endProcess() -> Never { _exit(EXIT_SUCCESS) }

    package var left: Int { state.value.errors.count }
    package var passed: Int { state.value.passed }
}
