import Glibc

/// In a child process: ends its main thread, as a program may do. /proc/self/fd is empty then.
///
/// The main thread is parked in the Swift runtime, but handles the process's signals.
package func endMainThread() {
    prepareForTrap()
    signal(SIGUSR1) { _ in pthread_exit(nil) }
    kill(getpid(), SIGUSR1)
    precondition(
        poll { access("/proc/self/fd/\(STDERR_FILENO)", F_OK) != 0 }, "the main thread lives")
}
