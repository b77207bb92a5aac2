internal import Ring
internal import Synchronization

/// One request to a file that goes on while its queue does other things.
///
/// The lane's kernel carries it out; where the kernel cannot (epoll), a thread of the runtime does,
/// which may block like any handler. A subclass says in `completed` what comes then.
class FileOperation: LaneOperation, @unchecked Sendable {
    // Safety: the request is fixed before `start`; the rest is atomic, or the base class's.
    @exclusivity(unchecked) final var request: FileRequest
    /// Set by `cancel` (releasing), read where the operation begins (acquiring).
    private final let isCancelled = Atomic<Bool>(false)

    init(_ request: FileRequest) {
        self.request = request
    }

    /// The operation has ended: the count of bytes, or a negated errno (ECANCELED after `cancel`,
    /// if it had an effect). Runs on a thread of the runtime, perhaps in a lane's own code: what
    /// user code is to do goes to a queue.
    func completed(result: Int32, _ context: Context) {}

    /// Hands the operation to the kernel, which keeps it alive. From any thread.
    final func start(_ context: Context) {
        let lane = Runtime.timerLane(for: context)
        self.lane = lane
        if lane.carriesOutRequests {
            begin(on: lane, context)
        } else {
            DispatchQueue.global().submit { self.performBlocking() }
        }
    }

    /// Asks for an early end. `completed` follows in any case. From any thread, after `start`.
    final func cancel(_ context: Context) {
        isCancelled.store(true, ordering: .releasing)
        guard let lane, lane.carriesOutRequests else { return }
        requestEnd(context)
    }

    private final func performBlocking() {
        let isCancelled = isCancelled.load(ordering: .acquiring)
        let result = isCancelled ? FileRequest.cancelled : request.performBlocking()
        completed(result: result, Context.current)
    }

    // MARK: on the lane

    final override func begin(on lane: Lane) {
        if isCancelled.load(ordering: .acquiring) {
            completed(result: FileRequest.cancelled, Context.current)
        } else {
            super.begin(on: lane)
        }
    }

    final override func submit(to lane: Lane, token: UInt64) {
        lane.start(request, token: token)
    }

    final override func withdraw(from lane: Lane, token: UInt64) {
        lane.cancelRequest(token: token)
    }

    override func noteEnded(on lane: Lane) { lane.noteOperationEnded() }

    final override func ended(result: Int32, _ context: Context) {
        completed(result: result, context)
    }
}
