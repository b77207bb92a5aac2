internal import LinuxPlatform

/// `data` is the number of deliveries of the signal. `DISPATCH_SOURCE_TYPE_SIGNAL`.
public protocol DispatchSourceSignal: DispatchSourceProtocol {}

extension DispatchSource {
    /// Counts deliveries of a signal to the process. `dispatch_source_create` with
    /// `DISPATCH_SOURCE_TYPE_SIGNAL`.
    ///
    /// An active source replaces the signal's default action. A handler that was installed earlier
    /// (sigaction(2)) still runs, once per delivery; an earlier SIG_IGN, as is usual on Darwin,
    /// does not stop the counting. When the signal's last source ends, the earlier disposition is
    /// restored, before the cancel handler runs.
    ///
    /// All sources of a signal count each delivery. The kernel merges pending signals below
    /// `SIGRTMIN` into one delivery. The handler runs on `queue`, not in the signal handler, so any
    /// call is allowed. `handle` is the signal's number.
    ///
    /// - A handler that the program installs while the source is active replaces the source, unless
    ///   it calls the handler it replaced. Later sources of the signal count only the deliveries
    ///   that it passes on, until the signal is set to SIG_DFL or SIG_IGN.
    /// - A signal that all threads block is counted too, unless the program has a handler for it:
    ///   then it stays pending until a thread takes it. Do not wait for the signal elsewhere as
    ///   well (sigwait(3), signalfd(2)): only one of the two would receive it.
    /// - The library's threads, and so the blocks of queues, block all signals except those of
    ///   faults, SIGABRT and SIGPROF. A signal sent to one of these threads instead of the process
    ///   (raise(3), pthread_kill(3) in a block) may stay pending for ever; kill(2) with getpid(2)
    ///   works. A child that a block starts inherits that mask, unless it resets it
    ///   (POSIX_SPAWN_SETSIGMASK).
    /// - exec(2) resets the signal to its default action, even if it was ignored before.
    ///
    /// Ends the process for SIGKILL and SIGSTOP, for the signals of faults (SIGSEGV, SIGBUS,
    /// SIGILL, SIGFPE, SIGTRAP, SIGSYS), and for invalid numbers. The two descriptors that all
    /// signal sources share are opened with the runtime; if none is free then, the process ends.
    /// - Parameters:
    ///   - signal: its number, such as `SIGTERM`. signal(7).
    ///   - queue: runs the handlers; nil: the default global queue.
    public static func makeSignalSource(
        signal: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceSignal {
        if let reason = Signals.refusal(of: signal) {
            fatalMisuse("a signal source cannot watch signal \(signal): \(reason)")
        }
        // Initialize it here, so that a lack of descriptors shows where the source is made.
        _ = SharedSignalReader.shared
        return PlainSourceObject(core: SignalSource(number: signal, queue: queue))
    }
}
