internal import Synchronization

/// The I/O interface of a loop: one-shot readiness registrations, reads and writes of files,
/// repeated receiving and accepting, a wait, and a wake-up.
///
/// All calls except `wake`, `mustBeAsked`, `hasCompletions` and `needsEnter` belong to the loop's
/// holder (see `LoopState`). Every registration and request ends in exactly one completion, even if
/// it is cancelled or refused. Receiving and accepting have any number of completions before it,
/// with `hasMore` set.
package class IOBackend {
    /// Whether a descriptor's registrations may move between loops at no cost.
    package let registrationsMigrate: Bool
    /// See `mustBeAsked`. A hint, written by the loop's holder and read by any thread, both
    /// relaxed.
    private let isSilent = Atomic<Bool>(false)

    init(registrationsMigrate: Bool) { self.registrationsMigrate = registrationsMigrate }

    /// Registers a one-shot wait for poll(2) `events` of a descriptor.
    package func register(descriptor: Int32, events: UInt32, token: UInt64) { abstract() }

    /// Cancels a registration in flight. Its completion follows in any case.
    package func cancelRegistration(descriptor: Int32, token: UInt64) { abstract() }

    /// Forgets a descriptor that is about to be closed. The caller has no registration of it in
    /// flight.
    package func release(descriptor: Int32) { abstract() }

    /// Whether `start` is supported: the kernel reads and writes files asynchronously.
    package var carriesOutRequests: Bool { false }

    /// Begins to read or write.
    package func start(_ request: FileRequest, token: UInt64) { abstract() }

    /// Cancels a request in flight. Its completion follows in any case.
    package func cancelRequest(token: UInt64) { abstract() }

    // MARK: sockets

    /// Receives from a stream socket into `receiveBuffers`, until the end, an error,
    /// `cancelStream`, or (-ENOBUFS) until no buffer is free.
    ///
    /// - Parameter isUnix: whether it is a Unix socket.
    package func receive(descriptor: Int32, isUnix: Bool, token: UInt64) { abstract() }

    /// Accepts connections until an error or `cancelStream`. The descriptors are closed by exec.
    package func accept(descriptor: Int32, token: UInt64) { abstract() }

    /// Cancels receiving or accepting. The last completion follows in any case.
    package func cancelStream(descriptor: Int32, token: UInt64) { abstract() }

    /// The buffers that `receive` fills; created at first use.
    package var receiveBuffers: ReceiveBuffers { abstract() }

    /// Returns a buffer that a completion named.
    package func giveBack(buffer: UInt16) { abstract() }

    // MARK: turns

    /// Whether pending events are visible only through a system call. From any thread.
    package final var mustBeAsked: Bool { isSilent.load(ordering: .relaxed) }

    final func setMustBeAsked(_ value: Bool) { isSilent.store(value, ordering: .relaxed) }

    /// Submits prepared entries and takes in completions, without waiting.
    package func submit() { abstract() }

    /// Also waits for a completion, a wake-up or the end of the timeout (nil: without limit). A
    /// signal may end the wait early.
    package func wait(timeoutNanoseconds: UInt64?) { abstract() }

    /// Whether `reap` would return completions.
    package var canReap: Bool { abstract() }

    /// Moves completions to `buffer`. Returns their number.
    package func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int { abstract() }

    /// Ends the wait of the thread in `wait`, or the next wait. From any thread.
    package func wake() { abstract() }

    /// Whether prepared entries need a `submit` or `wait`.
    package var hasUnsubmitted: Bool { abstract() }

    /// Whether completions can be reaped. From any thread; a hint.
    package var hasCompletions: Bool { abstract() }

    /// Whether the kernel has completions that only an enter makes visible. From any thread.
    package var needsEnter: Bool { abstract() }

    private func abstract() -> Never { fatalError("overridden by each back end") }
}
