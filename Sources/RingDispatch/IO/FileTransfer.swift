internal import LinuxPlatform

/// A file operation in progress, with its requests.
///
/// As with `DescriptorSide`, a thread that finds work while no other is the runner becomes the
/// runner, usually through the completion of a request in the loop.
class FileTransfer: @unchecked Sendable {
    // Safety: `lock` guards the fields marked so; the rest belongs to the thread that set `isBusy`.
    final let operation: IOOperation
    final let descriptor: IODescriptor
    private final let lock = Locked<Void>(())

    // MARK: guarded by the lock
    @exclusivity(unchecked) private final var isBusy = false
    @exclusivity(unchecked) private final var hasEvents = false

    // MARK: owned by the runner
    /// The file offset at which the transfer starts; nil if the descriptor's own position is used.
    @exclusivity(unchecked) final var origin: Int64?
    /// The operation's error code, once it is known; 0 for success.
    @exclusivity(unchecked) final var outcome: Int32?
    @exclusivity(unchecked) private final var isOver = false

    init(_ operation: IOOperation, of descriptor: IODescriptor) {
        self.operation = operation
        self.descriptor = descriptor
        if operation.channel.type == .random {
            let (sum, isTooBig) = operation.channel.base.addingReportingOverflow(operation.offset)
            origin = isTooBig ? .max : sum
        }
    }

    final var isStream: Bool { operation.channel.type == .stream }

    // MARK: overridden by reads and writes

    /// Processes completed requests and sends further ones. Called by the runner.
    func advance(_ context: Context) {}
    /// Whether requests are in flight.
    var isInFlight: Bool { false }
    func cancelRequests(_ context: Context) {}
    /// Called right before the operation ends.
    func conclude() {}

    // MARK: running

    /// Runs the transfer after a change. Call it from any thread.
    final func wake(_ context: Context) {
        if withLock({ claim() }) { run(context) }
    }

    /// Runs the transfer after a request has ended; `note` is called under the lock.
    final func wake(_ context: Context, noting note: () -> Void) {
        let isMine = withLock { () -> Bool in
            note()
            return claim()
        }
        if isMine { run(context) }
    }

    final func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }

    private final func claim() -> Bool {
        hasEvents = isBusy
        if isBusy { return false }
        isBusy = true
        return true
    }

    private final func run(_ context: Context) {
        while true {
            withLock { hasEvents = false }
            if !isOver { pass(context) }
            let mayRest = withLock { () -> Bool in
                if !hasEvents { isBusy = false }
                return !hasEvents
            }
            if mayRest { return }
        }
    }

    private final func pass(_ context: Context) {
        let abortCode = operation.abortCode
        if abortCode != 0 && outcome == nil {
            outcome = abortCode
            cancelRequests(context)
        }
        advance(context)
        if outcome == nil { operation.deliverIfCallIsDue(context) }
        if let outcome, !isInFlight {
            isOver = true
            conclude()
            descriptor.transferEnded(self, outcome, context)
        }
    }
}
