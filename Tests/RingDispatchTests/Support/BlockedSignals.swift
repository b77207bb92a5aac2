import Glibc
import Synchronization
import Testing

/// The main thread is in its handler, with all signals blocked.
private let isMainThreadParked = Atomic<Bool>(false)

/// In the child process of an exit test: waits until all threads block the signals.
///
/// The threads that run tests block most signals already. The main thread is parked in the Swift
/// runtime and blocks none; but a signal handler on it can block all signals and never return.
func blockEverywhere(_ signals: Int32...) {
    // Initialized here, because a signal handler must not do it.
    isMainThreadParked.store(false, ordering: .relaxed)
    signal(SIGUSR1) { _ in
        var all = sigset_t()
        sigfillset(&all)
        // The alarm of `prepareForTrap` still ends a child that hangs.
        sigdelset(&all, SIGALRM)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        isMainThreadParked.store(true, ordering: .releasing)
        while true { pause() }
    }
    kill(getpid(), SIGUSR1)
    expectSoon("some thread blocks nothing") {
        // The main thread also blocks signals for a moment before it is parked.
        guard isMainThreadParked.load(ordering: .acquiring) else { return false }
        return threadIdentifiers().allSatisfy { thread in
            guard let mask = processStatus("SigBlk", of: "self/task/\(thread)") else { return true }
            let blocked = UInt64(mask, radix: 16) ?? 0
            return signals.allSatisfy { blocked & 1 << UInt64($0 - 1) != 0 }
        }
    }
}
