internal import LinuxPlatform

/// Something that a loop's kernel goes on with until it ends: receiving, or accepting.
///
/// While it is out, the kernel's token holds a reference to it. The end travels to the stream's
/// queue as a work item with that reference, behind everything that came before it: when it is handled,
/// nothing of the stream is on its way any more. There the stream begins again, or is over.
package class LoopStream: @unchecked Sendable {
    // Safety: what is under "loop" is the loop's, what is under "queue" belongs to the queue;
    // `result` is written by the loop before the end's work item is pushed, and read by that work item.
    package final let descriptor: Int32
    /// Where all handlers run, one after the other.
    package final let queue: DispatchQueue
    final let loop: EventLoop
    private final let node = WorkItemNode()

    // MARK: loop
    /// The kernel goes on with it.
    @exclusivity(unchecked) private(set) final var isOut = false
    /// It waits until the loop has buffers, to begin again.
    @exclusivity(unchecked) private final var isStarved = false
    /// Its end was asked for.
    @exclusivity(unchecked) private final var isEnding = false
    /// It is to begin anew at its end, without anybody noticing.
    @exclusivity(unchecked) private final var isMoving = false
    /// The thread that handed it to the kernel, which finishes its work on that thread.
    @exclusivity(unchecked) private final var thread: UInt32 = 0
    @exclusivity(unchecked) private final var result: Int32 = 0

    // MARK: queue
    /// It was handed to the loop, and the end's work item has not run.
    @exclusivity(unchecked) package private(set) final var isRunning = false
    /// It is to go on.
    @exclusivity(unchecked) private final var isWanted = false

    /// - Parameter loopNumber: whose loop serves it, counted round and round; nil: the next one.
    init(descriptor: Int32, queue: DispatchQueue, loopNumber: Int? = nil) {
        precondition(queue.isSerial, "a stream needs a serial queue")
        self.descriptor = descriptor
        self.queue = queue
        loop = loopNumber.map { Runtime.loop(number: $0) } ?? Runtime.loopForNewSource()
    }

    // MARK: what kinds of streams differ in

    /// Asks the kernel. On the loop.
    func begin(token: UInt64) {}

    /// A completion that is not an end. On the loop.
    func received(_ completion: Completion, _ context: Context) {}

    /// Whether what ended the stream is no reason not to begin it again. Where nobody asked for the
    /// end, it begins again at once.
    func isPassing(_ result: Int32) -> Bool { result == FileRequest.cancelled }

    /// It is over: by `stop` (ECANCELED, negated), the end (0), or an error (a negated errno). On
    /// the queue. The descriptor may be closed, unless something else is out on it.
    func ended(_ result: Int32) {}

    // MARK: on the queue, or before anything else

    /// Begins. While an end is on its way, it follows that.
    package final func start() {
        isWanted = true
        if !isRunning { request(Unmanaged.passRetained(self)) }
    }

    /// Ends it; `ended` follows if it was running.
    package final func stop() {
        isWanted = false
        if isRunning { loop.request(.endStream(self), from: Context.current) }
    }

    private final func request(_ reference: Unmanaged<LoopStream>) {
        isRunning = true
        loop.request(.beginStream(reference), from: Context.current)
    }

    /// The end's work item. Consumes the reference.
    static func handleEnd(_ reference: Unmanaged<LoopStream>) {
        let goesOn = reference._withUnsafeGuaranteedRef { stream -> Bool in
            stream.isRunning = false
            let isPassing = stream.isPassing(stream.result)
            if stream.isWanted && isPassing {
                stream.request(reference)
                return true
            }
            stream.isWanted = false
            // Whatever stopped it: it was to stop.
            stream.ended(isPassing ? FileRequest.cancelled : stream.result)
            return false
        }
        if !goesOn { reference.release() }
    }

    // MARK: on the loop

    /// Consumes the reference.
    static func begin(_ reference: Unmanaged<LoopStream>, _ context: Context) {
        let stream = reference._withUnsafeGuaranteedRef { $0 }
        stream.begin(token: CompletionToken.stream(reference))
        stream.isOut = true
        stream.thread = context.pointee.identifier
    }

    /// After another thread has taken the loop over: the kernel would wake the one that began the
    /// stream for each completion. Beginning anew costs less.
    @inline(__always)
    final func follow(_ context: Context) {
        if thread != context.pointee.identifier && loop.bindsStreams { move() }
    }

    @inline(never)
    private final func move() {
        guard isOut && !isEnding && !isMoving else { return }
        isMoving = true
        loop.cancelStream(descriptor: descriptor, self)
    }

    final func end() {
        // Else the end's work item is on its way, and finds that it is not wanted.
        guard isOut || isStarved, !isEnding else { return }
        isEnding = true
        if isOut && !isMoving { loop.cancelStream(descriptor: descriptor, self) }
        isMoving = false
    }

    @inline(__always)
    static func completed(
        _ reference: Unmanaged<LoopStream>, _ completion: Completion, _ context: Context
    ) {
        reference._withUnsafeGuaranteedRef { stream in
            stream.received(completion, context)
            if completion.hasMore { return stream.follow(context) }
            stream.isOut = false
            stream.loop.noteRegistrationEnded()
            let goesOn = stream.isMoving || completion.result != FileRequest.cancelled
            stream.isMoving = false
            guard goesOn && !stream.isEnding && stream.isPassing(completion.result) else {
                return stream.conclude(completion.result, reference, context)
            }
            guard completion.result == -ErrorCode.noBuffers else {
                return begin(reference, context)
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
            begin(reference, context)
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
