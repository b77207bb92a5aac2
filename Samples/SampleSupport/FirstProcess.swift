internal import Glibc

/// The duties of process 1 in a container without an init: it becomes the parent of orphaned
/// processes, and receives only signals that it handles.
package enum FirstProcess {
    package static var isThis: Bool { getpid() == 1 }

    /// Lets the kernel reap orphans: with SIGCHLD ignored, no child stays a zombie. waitpid(2). Not
    /// for programs that start processes and need their exit status.
    package static func leaveOrphansToTheKernel() {
        guard isThis else { return }
        signal(SIGCHLD, SIG_IGN)
        // Children that have already ended.
        while waitpid(-1, nil, WNOHANG) > 0 {}
    }

    /// SIGINT and SIGTERM end process 1, too.
    /// - Parameter isOn: false: no longer, because the program handles them from now on.
    static func endBySignals(_ isOn: Bool) {
        guard isThis else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number, isOn ? { FirstProcess.end(by: $0) } : SIG_DFL)
        }
    }

    /// Ends process 1 with the status that a shell reports for a death by this signal. The default
    /// action of a signal does not end process 1.
    static func end(by signal: Int32) {
        guard isThis else { return }
        _exit(128 + signal)
    }
}
