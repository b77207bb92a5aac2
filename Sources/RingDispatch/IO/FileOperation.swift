internal import LinuxPlatform
internal import Synchronization

/// One request to a file that goes on while its queue does other things.
///
/// The loop's kernel carries it out; where the kernel cannot (epoll), a thread of the runtime does,
/// which may block like any handler. A subclass says in `completed` what comes then.
class FileOperation: LoopOperation, @unchecked Sendable {
    // Safety: the request is fixed before `start`; the rest is atomic, or the base class's.
    @exclusivity(unchecked) final var request: FileRequest
    /// Set by `cancel` (releasing), read where the operation begins (acquiring).
    private final let isCancelled = Atomic<Bool>(false)

    init(_ request: FileRequest) {
        self.request = request
    }

    /// The operation has ended: the count of bytes, or a negated errno (ECANCELED after `cancel`,
    /// if it had an effect). Runs on a thread of the runtime, perhaps in a loop's own code: what
    /// user code is to do goes to a queue.
    func completed(result: Int32, _ context: Context) {}

    /// Hands the operation to the kernel, which keeps it alive. From any thread.
    final func start(_ context: Context) {
        let loop = Runtime.timerLoop(for: context)
        self.loop = loop
        if loop.carriesOutRequests {
            begin(on: loop, context)
        } else {
            DispatchQueue.global().submit { self.performBlocking() }
        }
    }

    /// Asks for an early end. `completed` follows in any case. From any thread, after `start`.
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
