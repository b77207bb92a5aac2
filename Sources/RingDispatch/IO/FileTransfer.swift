internal import LinuxPlatform

/// A file operation in progress, with its requests.
///
/// As with `DescriptorSide`, a thread that finds work while no other is the runner becomes the
/// runner, usually on the file ring's thread, through the completion of a request.
class FileTransfer: @unchecked Sendable {
    // Safety: the variables of this class and its subclasses belong to the runner.
    final let operation: IOOperation
    final let descriptor: IODescriptor
    private final let runner = Locked(RunnerClaim())

    /// The file offset at which the transfer starts; nil if the descriptor's own position is used.
    final var origin: Int64?
    /// The descriptor's own position, if a stream's transfer knows it.
    final var place: Int64?
    /// The operation's error code, once it is known; 0 for success.
    final var outcome: Int32?
    private final var hasBegun = false
    private final var isOver = false
    /// It is the first one since the path was opened.
    final let isFirst: Bool

    init(_ operation: IOOperation, of descriptor: IODescriptor, isFirst: Bool) {
        self.operation = operation
        self.descriptor = descriptor
        self.isFirst = isFirst
        if operation.channel.type == .random {
            let (sum, isTooBig) = operation.channel.base.addingReportingOverflow(operation.offset)
            origin = isTooBig ? .max : sum
        }
    }

    final var isStream: Bool { operation.channel.type == .stream }

    // MARK: overridden by reads and writes

    /// Finds where the transfer starts. Called by the runner, once.
    func begin() {}
    /// Processes completed requests and sends further ones. Called by the runner.
    func advance() {}
    /// Whether requests are in flight.
    var isInFlight: Bool { false }
    func cancelRequests() {}

    // MARK: running

    /// Runs the transfer after a change. Call it from any thread.
    final func wake() {
        if runner.withLock({ $0.claim() }) { run() }
    }

    private final func run() {
        while true {
            runner.withLock { $0.begin() }
            if !isOver { pass() }
            if runner.withLock({ $0.rest() }) { return }
        }
    }

    private final func pass() {
        let abortCode = operation.abortCode
        if abortCode != 0 && outcome == nil {
            outcome = abortCode
            cancelRequests()
        }
        if !hasBegun { begin() }
        hasBegun = true
        advance()
        if outcome == nil { operation.deliverIfCallIsDue() }
        if let outcome, !isInFlight {
            isOver = true
            if isStream, let origin {
                // The end of what the handler gets, or of what was written.
                let end = origin + Int64(operation.transferred)
                let own = place ?? origin
                // Where others have moved it meanwhile, it stays.
                if own != end, Descriptors.position(descriptor.number) == own {
                    Descriptors.setPosition(descriptor.number, to: end)
                }
            }
            descriptor.transferEnded(self, outcome)
        }
    }
}
