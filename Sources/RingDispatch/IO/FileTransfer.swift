internal import LinuxPlatform

/// One operation of a file on its way: the requests that it consists of.
///
/// Like a `DescriptorSide`, it is run by the thread that finds something to do and nobody at it:
/// most often in the loop, by the completion of a request.
class FileTransfer: @unchecked Sendable {
    // Safety: `lock` guards what it says; the rest belongs to the thread that set `isBusy`.
    final let operation: IOOperation
    final let descriptor: IODescriptor
    private final let lock = Locked<Void>(())

    // MARK: guarded by the lock
    @exclusivity(unchecked) private final var isBusy = false
    @exclusivity(unchecked) private final var hasEvents = false

    // MARK: the runner's
    /// Where the file's position is when the transfer begins; nil: at none, or it does not matter.
    @exclusivity(unchecked) final var origin: Int64?
    /// How the operation ends, once that is known.
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

    // MARK: what reads and writes differ in

    /// Takes over what has ended, and asks for more. For the runner.
    func advance(_ context: Context) {}
    /// Whether requests are out.
    var isOut: Bool { false }
    /// Asks for the end of the requests that are out.
    func cancelRequests(_ context: Context) {}
    /// The last thing before the operation ends.
    func conclude() {}

    // MARK: running

    /// Something changed: from any thread.
    final func wake(_ context: Context) {
        if withLock({ claim() }) { run(context) }
    }

    /// A request has ended: `note` is called under the lock.
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
        if let outcome, !isOut {
            isOver = true
            conclude()
            descriptor.transferEnded(self, outcome, context)
        }
    }
}
