internal import Glibc

/// Keeps a SIGPIPE, which the kernel sends to the thread that writes, from doing anything.
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

    /// Takes the thread's own pending signal away.
    static func consume(_ result: Int) -> Int {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        var none = timespec()
        // EAGAIN: the program ignores the signal.
        _ = sigtimedwait(&set, nil, &none)
        return result
    }
}
