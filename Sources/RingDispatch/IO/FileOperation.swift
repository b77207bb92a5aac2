internal import Ring
internal import Synchronization

/// One read or write of a file that goes on while its queue does other things.
///
/// The lane's kernel carries it out; where the kernel cannot (epoll), a thread of the runtime does,
/// which may block like any handler. A subclass says in `completed` what comes then.
class FileOperation: @unchecked Sendable {
    // Safety: `lane` is written before `start` hands the operation over; the flags are the lane's.
    final let request: FileRequest
    @exclusivity(unchecked) private final var lane: Lane?
    @exclusivity(unchecked) private final var isOut = false
    /// Set by `cancel` (releasing), read where the operation begins (acquiring).
    private final let isCancelled = Atomic<Bool>(false)

    init(_ request: FileRequest) {
        self.request = request
    }

    /// The operation has ended: the count of bytes, or a negated errno (ECANCELED after `cancel`,
    /// if it had an effect). Runs on a thread of the runtime, perhaps in a lane's own code: it
    /// submits what is to be done to a queue, and nothing else.
    func completed(result: Int32) {}

    /// Hands the operation to the kernel, which keeps it alive. From any thread, once.
    final func start() {
        let context = Context.current
        let lane = Runtime.timerLane(for: context)
        self.lane = lane
        if lane.carriesOutRequests {
            lane.request(.start(self), from: context)
        } else {
            DispatchQueue.global().submit { self.performBlocking() }
        }
    }

    /// Asks for an early end. `completed` follows in any case. From any thread, after `start`.
    final func cancel() {
        isCancelled.store(true, ordering: .releasing)
        guard let lane, lane.carriesOutRequests else { return }
        lane.request(.cancel(self), from: Context.current)
    }

    private final func performBlocking() {
        let isCancelled = isCancelled.load(ordering: .acquiring)
        completed(result: isCancelled ? FileRequest.cancelled : request.performBlocking())
    }

    // MARK: on the lane

    final func begin(on lane: Lane) {
        guard !isCancelled.load(ordering: .acquiring) else {
            completed(result: FileRequest.cancelled)
            return
        }
        isOut = true
        lane.start(request, token: CompletionToken.operation(Unmanaged.passRetained(self)))
    }

    final func end(on lane: Lane) {
        guard isOut else { return }
        lane.cancelRequest(token: CompletionToken.operation(Unmanaged.passUnretained(self)))
    }

    /// The kernel is done with the operation that `begin` handed it; takes its reference over.
    static func ended(_ reference: Unmanaged<FileOperation>, result: Int32, _ context: Context) {
        let operation = reference.takeRetainedValue()
        operation.isOut = false
        operation.completed(result: result)
    }
}
