import Glibc
import RingDispatch

/// Makes the main thread of an exit test's child process serve the main queue, then runs `body` on
/// the calling thread.
///
/// The main thread is parked in the Swift runtime, out of a test's reach. But a signal to the
/// process is handled on the main thread, and its handler need not return. Never returns: a block
/// on the main queue or an alarm ends the process.
func withMainQueueServed(_ body: () throws -> Void) rethrows -> Never {
    prepareForTrap()
    signal(SIGUSR1) { _ in dispatchMain() }
    kill(getpid(), SIGUSR1)
    // Until then the Swift runtime's threads serve the queue. Their earlier work on it precedes the
    // task.
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
