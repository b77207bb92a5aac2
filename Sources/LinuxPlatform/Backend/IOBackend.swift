internal import Synchronization

/// What a loop asks of the kernel: one-shot readiness watches, reads and writes of files, receiving
/// and accepting without end, a wait, and a wake-up.
///
/// All but `wake`, `hasCompletions` and `needsEnter` belong to the thread that holds the loop's
/// state word. Every watch and request ends in exactly one completion, also when it is cancelled or
/// refused; receiving and accepting have any number before it, which say `hasMore`.
package class IOBackend {
    package let kind: BackendKind
    /// Whether a descriptor may be watched now here, now by another loop's kernel, without cost.
    package let registrationsMigrate: Bool
    /// Whether receiving and accepting go on as work of the thread that asked for it.
    package let bindsStreams: Bool
    /// See `mustBeAsked`. Written by the loop's holder (relaxed), read by whoever wonders if the
    /// loop has something to do: a hint.
    private let isSilent = Atomic<Bool>(false)

    init(kind: BackendKind, registrationsMigrate: Bool, bindsStreams: Bool) {
        self.kind = kind
        self.registrationsMigrate = registrationsMigrate
        self.bindsStreams = bindsStreams
    }

    /// Watches a descriptor once for poll(2) `events`.
    package func register(descriptor: Int32, events: UInt32, token: UInt64) { abstract() }

    /// Asks for the end of a watch that is still out. Its completion follows in any case.
    package func cancelRegistration(descriptor: Int32, token: UInt64) { abstract() }

    /// Forgets a descriptor that is about to be closed. None of its caller's watches is out.
    package func release(descriptor: Int32) { abstract() }

    /// Whether `start` can be used: the kernel reads and writes files while the loop goes on.
    package var carriesOutRequests: Bool { false }

    /// Begins to read or write.
    package func start(_ request: FileRequest, token: UInt64) { abstract() }

    /// Asks for the end of a request that is still out. Its completion follows in any case.
    package func cancelRequest(token: UInt64) { abstract() }

    // MARK: sockets

    /// Receives what comes for a stream socket, into buffers of its own, until the end, an error,
    /// `cancelStream`, or (-ENOBUFS) until all buffers are given out. It may also end with bytes,
    /// for reasons of the kernel's own: then it is to be asked for again.
    ///
    /// - Parameter isUnix: it is a Unix socket.
    package func receive(descriptor: Int32, isUnix: Bool, token: UInt64) { abstract() }

    /// Accepts connections until an error or `cancelStream`. The descriptors are closed by exec.
    package func accept(descriptor: Int32, token: UInt64) { abstract() }

    /// Asks for the end of receiving or accepting. The last completion follows in any case.
    package func cancelStream(descriptor: Int32, token: UInt64) { abstract() }

    /// What `receive` receives into; made at first use.
    package var receiveBuffers: ReceiveBuffers { abstract() }

    /// The caller is done with a buffer that a completion named.
    package func giveBack(buffer: UInt16) { abstract() }

    // MARK: turns

    /// Whether only a system call tells if something has happened for what is out. From any thread.
    package final var mustBeAsked: Bool { isSilent.load(ordering: .relaxed) }

    final func setMustBeAsked(_ value: Bool) { isSilent.store(value, ordering: .relaxed) }

    /// Hands over what was prepared and takes in what is ready, without waiting.
    package func submit() { abstract() }

    /// The same, and waits for a completion, a wake-up or the end of the timeout (nil: for ever).
    /// A signal may end it early.
    package func wait(timeoutNanoseconds: UInt64?) { abstract() }

    /// Whether `reap` would find completions.
    package var canReap: Bool { abstract() }

    /// Takes completions out; their count, at most the buffer's size.
    package func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int { abstract() }

    /// Ends the wait of the thread that is in `wait`, or the next one. From any thread.
    package func wake() { abstract() }

    /// Whether prepared watches wait for `submit` or `wait`.
    package var hasUnsubmitted: Bool { abstract() }

    /// Whether completions wait to be reaped. From any thread; a hint.
    package var hasCompletions: Bool { abstract() }

    /// Whether the kernel has completions that only an enter makes visible. From any thread.
    package var needsEnter: Bool { abstract() }

    private func abstract() -> Never { fatalError("overridden by each back end") }
}
