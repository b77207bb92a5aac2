internal import LinuxPlatform

/// A request that a back end repeats until it ends: receiving, or accepting.
///
/// While it is in flight, the completions' token holds a reference to it. The end travels with that
/// reference to the stream's queue as a work item, behind all earlier completions. When the queue
/// handles it, nothing of the stream is in flight. Then the stream begins again, or is over.
package class LoopStream: @unchecked Sendable {
    // Safety: the fields under "loop" belong to the loop's holder, those under "queue" to the
    // queue. The loop writes `result` before it pushes the end's work item, which reads it.
    package final let descriptor: Int32
    /// The serial queue of all handlers.
    package final let queue: DispatchQueue
    final let loop: EventLoop
    private final let node = WorkItemNode()

    // MARK: loop
    /// The back end repeats the request.
    @exclusivity(unchecked) private final var isInFlight = false
    /// The stream waits for a free receive buffer, to begin again.
    @exclusivity(unchecked) private final var isStarved = false
    /// The end was requested.
    @exclusivity(unchecked) private final var isEnding = false
    @exclusivity(unchecked) private final var result: Int32 = 0

    // MARK: queue
    /// The stream was handed to the loop, and the end's work item has not run.
    @exclusivity(unchecked) package private(set) final var isRunning = false
    /// The owner wants the stream to run.
    @exclusivity(unchecked) private final var isWanted = false

    /// - Parameter loopNumber: selects the loop, modulo their number; nil: the next loop in turn.
    init(descriptor: Int32, queue: DispatchQueue, loopNumber: Int? = nil) {
        precondition(queue.isSerial, "a stream needs a serial queue")
        self.descriptor = descriptor
        self.queue = queue
        loop = loopNumber.map { Runtime.loop(number: $0) } ?? Runtime.loopForNewSource()
    }

    // MARK: for subclasses

    /// Submits the request. On the loop.
    func begin(token: UInt64) {}

    /// A completion other than the end. On the loop.
    func received(_ completion: Completion, _ context: Context) {}

    /// Whether the stream waits for a receive buffer after it ended with -ENOBUFS.
    var needsBuffers: Bool { false }

    /// The stream is over: after `stop` (ECANCELED, negated), at the end (0), or after an error (a
    /// negated errno). On the queue. The descriptor may be closed, unless another request on it is
    /// in flight.
    func ended(_ result: Int32) {}

    // MARK: on the queue, or before anything else

    /// Begins the stream; if an end is on its way, after that end.
    package final func start() {
        isWanted = true
        if !isRunning { request(Unmanaged.passRetained(self)) }
    }

    /// Ends the stream. `ended` follows if it was running.
    package final func stop() {
        isWanted = false
        if isRunning { loop.request(.endStream(self), from: Context.current) }
    }

    private final func request(_ reference: Unmanaged<LoopStream>) {
        isRunning = true
        loop.request(.beginStream(reference), from: Context.current)
    }

    /// Runs as the end's work item. Consumes the reference.
    static func handleEnd(_ reference: Unmanaged<LoopStream>) {
        let goesOn = reference._withUnsafeGuaranteedRef { stream -> Bool in
            stream.isRunning = false
            if stream.isWanted && stream.result == FileRequest.cancelled {
                stream.request(reference)
                return true
            }
            stream.isWanted = false
            stream.ended(stream.result)
            return false
        }
        if !goesOn { reference.release() }
    }

    // MARK: on the loop

    /// Consumes the reference.
    static func begin(_ reference: Unmanaged<LoopStream>) {
        let stream = reference._withUnsafeGuaranteedRef { $0 }
        stream.begin(token: CompletionToken.stream(reference))
        stream.isInFlight = true
    }

    final func end() {
        // Otherwise the end's work item is on its way, and finds `isWanted` false.
        guard isInFlight || isStarved, !isEnding else { return }
        isEnding = true
        if isInFlight { loop.cancelStream(descriptor: descriptor, self) }
    }

    @inline(__always)
    static func completed(
        _ reference: Unmanaged<LoopStream>, _ completion: Completion, _ context: Context
    ) {
        reference._withUnsafeGuaranteedRef { stream in
            if completion.hasMore { return stream.received(completion, context) }
            stream.isInFlight = false
            stream.loop.noteRegistrationEnded()
            guard stream.needsBuffers && completion.result == -ErrorCode.noBuffers else {
                return stream.conclude(completion.result, reference, context)
            }
            if stream.isEnding {
                return stream.conclude(FileRequest.cancelled, reference, context)
            }
            stream.isStarved = true
            stream.loop.waitForReceiveBuffer(reference)
        }
    }

    /// Consumes the reference.
    static func endWait(_ reference: Unmanaged<LoopStream>, _ context: Context) {
        let stream = reference._withUnsafeGuaranteedRef { $0 }
        stream.isStarved = false
        if stream.isEnding {
            stream.conclude(FileRequest.cancelled, reference, context)
        } else {
            begin(reference)
        }
    }

    private final func conclude(
        _ result: Int32, _ reference: Unmanaged<LoopStream>, _ context: Context
    ) {
        isEnding = false
        self.result = result
        loop.release(descriptor: descriptor)
        queue.push(
            node.prepare(.streamEnd, priority: queue.priority, object: reference.toOpaque()),
            context)
    }
}
