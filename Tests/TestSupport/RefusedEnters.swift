import Glibc

/// Calls of io_uring_enter(2) that fail, in a child process: a thread answers all of them in place
/// of the kernel, or lets the kernel go on. seccomp_unotify(2).
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

    /// struct seccomp_notif: the identifier is the first word, and 80 bytes are its size.
    private typealias Notice = (
        identifier: UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    /// struct seccomp_notif_resp.
    private struct Answer {
        var identifier: UInt64
        var value: Int64 = 0
        var error: Int32 = 0
        var flags: UInt32 = 0
    }

    /// - Parameter errors: of the next calls, in this order. Later calls succeed.
    /// - Returns: nil where that is impossible.
    package init?(_ errors: [Int32]) {
        state = Watched(State(errors: errors))
        // SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_TSYNC_ESRCH
        let listener = CallFilter.install(
            [
                .load(0), .skip(1, unless: 426), .end(CallFilter.notify), .end(CallFilter.allow),
            ], flags: 8 | 16)
        guard listener >= 0 else { return nil }
        _ = UserThread { [state] in
            while RefusedEnters.answer(Int32(listener), state) {}
        }
    }

    private static func answer(_ listener: Int32, _ state: Watched<State>) -> Bool {
        var notice: Notice = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // SECCOMP_IOCTL_NOTIF_RECV
        guard ioctl(listener, 0xc050_2100, &notice) == 0 else {
            // ENOENT: a signal has ended the call.
            return errno == EINTR || errno == ENOENT
        }
        var answer = Answer(identifier: notice.identifier)
        state.update { state in
            if state.errors.isEmpty {
                answer.flags = 1  // SECCOMP_USER_NOTIF_FLAG_CONTINUE
                state.passed += 1
            } else {
                answer.error = -state.errors.removeFirst()
            }
        }
        // SECCOMP_IOCTL_NOTIF_SEND
        return ioctl(listener, 0xc018_2101, &answer) == 0 || errno == ENOENT
    }

    /// Lets further calls fail.
    package func add(_ errors: [Int32]) { state.update { $0.errors += errors } }

    /// Ends the process without exit handlers: LeakSanitizer's cannot stop the thread that answers.
    package static func endProcess() -> Never { _exit(EXIT_SUCCESS) }

    package var left: Int { state.value.errors.count }
    package var passed: Int { state.value.passed }
}
