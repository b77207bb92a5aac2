internal import CLinux
internal import Glibc

/// Suppresses SIGPIPE, which the kernel sends to the writing thread.
enum PipeSignal {
    /// Runs the body with the signal blocked.
    static func blocked(_ body: () -> Int) -> Int {
        var set = sigset_t()
        var previous = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        return body()
    }

    /// Removes the thread's pending SIGPIPE.
    static func consume(_ result: Int) -> Int {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        var none = timespec()
        // Fails with EAGAIN if the process ignores the signal.
        _ = sigtimedwait(&set, nil, &none)
        return result
    }
}
