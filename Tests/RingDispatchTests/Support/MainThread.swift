import Glibc
import RingDispatch

/// Gives the process's main thread to the main queue, from the child process of an exit test, and
/// runs `body` on the calling thread as soon as that is so.
///
/// There the main thread is parked in the Swift runtime, where no test gets at it; but a signal
/// that is sent to the whole process is handled on the main thread, and a handler may stay for
/// ever. Never returns: a block on the main queue has to end the process, or an alarm does.
func withMainQueueServed(_ body: () throws -> Void) rethrows -> Never {
    prepareForTrap()
    signal(SIGUSR1) { _ in dispatchMain() }
    kill(getpid(), SIGUSR1)
    // Until then the Swift runtime's threads serve the queue; what they were asked to do for it
    // comes before the task.
    _ = poll { DispatchQueue.main.sync { isOnMainThread } }
    let flushed = Gate()
    Task { @MainActor in flushed.open() }
    flushed.pass()
    try body()
    while true { pause() }
}

/// Ends the child process of an exit test: successfully when `condition` holds.
func endProcess(succeedingIf condition: Bool) -> Never {
    _exit(condition ? EXIT_SUCCESS : EXIT_FAILURE)
}
