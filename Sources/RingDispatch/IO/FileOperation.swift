internal import LinuxPlatform
internal import Synchronization

/// One asynchronous request to a file.
///
/// The loop's back end carries it out; with epoll, a runtime thread does, which may block like any
/// handler. A subclass handles the result in `completed`.
class FileOperation: LoopOperation, @unchecked Sendable {
    // Safety: the request is fixed before `start`; the rest is atomic or the base class's.
    @exclusivity(unchecked) final var request: FileRequest
    /// `cancel` (releasing) pairs with the loads where the operation begins (acquiring).
    private final let isCancelled = Atomic<Bool>(false)

    init(_ request: FileRequest) {
        self.request = request
    }

    /// Called with the number of bytes or a negated errno (ECANCELED if `cancel` took effect). Runs
    /// on a runtime thread, possibly inside a loop: submit user code to a queue.
    func completed(result: Int32, _ context: Context) {}

    /// Passes the operation to the kernel, which keeps it alive. Call it from any thread.
    final func start(_ context: Context) {
        let loop = Runtime.timerLoop(for: context)
        self.loop = loop
        if loop.carriesOutRequests {
            begin(on: loop, context)
        } else {
            DispatchQueue.global().submit { self.performBlocking() }
        }
    }

    /// Requests an early end; `completed` is called in any case. Call it from any thread, after
    /// `start`.
    final func cancel(_ context: Context) {
        isCancelled.store(true, ordering: .releasing)
        guard let loop, loop.carriesOutRequests else { return }
        requestEnd(context)
    }

    private final func performBlocking() {
        let isCancelled = isCancelled.load(ordering: .acquiring)
        let result = isCancelled ? FileRequest.cancelled : request.performBlocking()
        completed(result: result, Context.current)
    }

    // MARK: on the loop

    final override func begin(on loop: EventLoop) {
        if isCancelled.load(ordering: .acquiring) {
            completed(result: FileRequest.cancelled, Context.current)
        } else {
            super.begin(on: loop)
        }
    }

    final override func submit(to loop: EventLoop, token: UInt64) {
        loop.start(request, token: token)
    }

    final override func withdraw(from loop: EventLoop, token: UInt64) {
        loop.cancelRequest(token: token)
    }

    override func noteEnded(on loop: EventLoop) { loop.noteOperationEnded() }

    final override func ended(result: Int32, _ context: Context) {
        completed(result: result, context)
    }
}
