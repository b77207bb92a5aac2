internal import Glibc

/// What the first process of a container owes, where no init stands before it: it becomes the
/// parent of each process whose own has ended, and the kernel gives it no signal that it has no
/// handler for.
package enum FirstProcess {
    package static var isThis: Bool { getpid() == 1 }

    /// Lets the kernel reap the orphans: with SIGCHLD ignored, no child is left as a zombie.
    /// waitpid(2). For programs that start no others, whose ends they would want to know.
    package static func leaveOrphansToTheKernel() {
        guard isThis else { return }
        signal(SIGCHLD, SIG_IGN)
        // Those that have ended before.
        while waitpid(-1, nil, WNOHANG) > 0 {}
    }

    /// Ends the program with the status that a shell gives one that a signal has ended. A signal
    /// that is not the first process's own to handle cannot end it.
    static func end(by signal: Int32) {
        guard isThis else { return }
        _exit(128 + signal)
    }
}
