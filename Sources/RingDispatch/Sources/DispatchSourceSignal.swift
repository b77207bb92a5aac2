internal import LinuxPlatform

/// `data` is how often the signal was delivered. `DISPATCH_SOURCE_TYPE_SIGNAL`.
public protocol DispatchSourceSignal: DispatchSourceProtocol {}

extension DispatchSource {
    /// Counts deliveries of a signal to the process. `dispatch_source_create` with
    /// `DISPATCH_SOURCE_TYPE_SIGNAL`.
    ///
    /// While a source of the signal is active it takes the place of the signal's default action.
    /// A handler that was installed before (sigaction(2)) still runs, once a delivery; SIG_IGN
    /// before, as is usual on Darwin, makes no difference. When the signal's last source has ended,
    /// before its cancel handler runs, the earlier disposition is back.
    ///
    /// All sources of a signal see each delivery. `data` counts what the kernel delivers:
    /// signals below `SIGRTMIN` that wait at the same time are one. The handler runs on `queue`,
    /// never inside the signal's delivery, so it may do anything. `handle` is the number.
    ///
    /// - A handler that is installed while the source is active replaces the source, unless it
    ///   calls the one that it found. Later sources of the signal see only what that handler
    ///   passes on, until the signal is set to SIG_DFL or SIG_IGN.
    /// - A signal that all threads block is counted too, unless the program has a handler for it:
    ///   then it waits until a thread takes it. Do not wait for it elsewhere as well (sigwait(3),
    ///   signalfd(2)): one of the two would get it.
    /// - The library's own threads, and so the blocks of queues, block all signals. What is sent to
    ///   one of these threads instead of the process (raise(3), pthread_kill(3) in a block) may
    ///   wait for ever; kill(2) with getpid(2) does not. A child that a block starts inherits that
    ///   mask unless it is told not to (POSIX_SPAWN_SETSIGMASK).
    /// - exec(2) sets the signal to its default action, also if it was ignored before.
    ///
    /// Ends the process for SIGKILL and SIGSTOP, for the signals of faults (SIGSEGV, SIGBUS,
    /// SIGILL, SIGFPE, SIGTRAP, SIGSYS), for numbers that are none, and when descriptors have run
    /// out (the first source takes two, for good).
    /// - Parameter queue: where the handlers run; nil: the default global queue.
    public static func makeSignalSource(
        signal: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceSignal {
        if let reason = Signals.refusal(of: signal) {
            fatalMisuse("a signal source cannot watch signal \(signal): \(reason)")
        }
        return SignalSourceObject(SignalSource(number: signal, queue: queue))
    }
}

private final class SignalSourceObject: DispatchSource, DispatchSourceSignal, @unchecked Sendable {
    // Safety: as its superclass; `core` is what `init` was given.
    private var signalCore: SignalSource { unsafeDowncast(core, to: SignalSource.self) }

    init(_ core: SignalSource) {
        // Here, so that a lack of descriptors shows where the source is made.
        _ = SharedSignalReader.shared
        super.init(core: core)
    }

    override var handle: UInt { UInt(signalCore.number) }
    override var data: UInt { signalCore.data }
}
