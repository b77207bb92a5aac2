internal import LinuxPlatform
internal import Synchronization

/// One asynchronous request to a file.
///
/// What is in memory is opened and read at once, on a runtime thread. Everything else goes to the
/// file ring; where io_uring is refused, a thread makes a call that may block like any handler. A
/// subclass handles the result in `completed`.
class FileOperation: @unchecked Sendable {
    // Safety: the request is constant, `isInFlight` belongs to the ring's thread, and the rest is
    // atomic.
    final let request: FileRequest
    private final var isInFlight = false
    /// `cancel` (releasing) pairs with the loads where the operation begins (acquiring).
    private final let isCancelled = Atomic<Bool>(false)
    /// Requests in the ring. Relaxed: only tests and statistics read it.
    static let inFlight = Atomic<Int>(0)

    init(_ request: FileRequest) {
        self.request = request
    }

    /// Called with the number of bytes or a negated errno (ECANCELED if `cancel` took effect). Runs
    /// on a runtime thread, outside of the queues: submit user code to a queue.
    func completed(result: Int32) {}

    /// Carries the request out on the calling thread, if that is a runtime thread and what the
    /// request needs is in memory. Otherwise nil: start an operation.
    static func attempt(_ request: FileRequest) -> Int32? {
        Context.current.pointee.isWorker ? request.performWithoutWaiting() : nil
    }

    /// Begins the operation, which keeps itself alive until its end. Call it from any thread,
    /// without a lock: on a runtime thread, `completed` may be called before this returns.
    /// - Parameter isTried: the caller has called `attempt`, with nil as its result.
    final func start(isTried: Bool = false) {
        // Not on a background worker: the ring's thread, which the first operation makes, would
        // inherit its CPU priority.
        if Context.current.pointee.worker?.pool.isBackground == false {
            perform(isTried: isTried)
        } else {
            startElsewhere()
        }
    }

    /// Begins the operation on another thread, while the caller goes on.
    final func startElsewhere() {
        DispatchQueue.global().submit { self.perform() }
    }

    /// Requests an early end; `completed` is called in any case. Call it from any thread, after
    /// `start`.
    final func cancel() {
        isCancelled.store(true, ordering: .releasing)
        FileRing.existing?.add(.cancel(self))
    }

    private final func perform(isTried: Bool = false) {
        if isCancelled.load(ordering: .acquiring) {
            completed(result: FileRequest.cancelled)
        } else if !isTried, let result = request.performWithoutWaiting() {
            completed(result: result)
        } else if let ring = FileRing.shared {
            ring.add(.start(self))
        } else {
            DispatchQueue.global().submit {
                let isCancelled = self.isCancelled.load(ordering: .acquiring)
                self.completed(
                    result: isCancelled
                        ? FileRequest.cancelled : self.request.performBlocking())
            }
        }
    }

    // MARK: on the ring's thread

    /// While the operation is in flight, the address in its completion's token is a reference to
    /// it.
    private final var token: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }

    final func begin(in ring: Ring) {
        if isCancelled.load(ordering: .acquiring) {
            return completed(result: FileRequest.cancelled)
        }
        isInFlight = true
        FileOperation.inFlight.wrappingAdd(1, ordering: .relaxed)
        _ = Unmanaged.passRetained(self)
        ring.start(request, token: token)
    }

    final func end(in ring: Ring) {
        if isInFlight { ring.cancel(token: token) }
    }

    /// Takes a completion of the ring, and the reference in its token.
    static func completed(token: UInt64, result: Int32) {
        guard let address = UnsafeRawPointer(bitPattern: UInt(token)) else { return }
        let reference = Unmanaged<FileOperation>.fromOpaque(address)
        let operation = reference.takeRetainedValue()
        operation.isInFlight = false
        inFlight.wrappingSubtract(1, ordering: .relaxed)
        operation.completed(result: result)
    }
}
