internal import Ring
internal import Synchronization

/// Receives from a stream socket without end: bytes are handed to the client on the queue, in the
/// lane's own buffers, and nothing has to be asked for again in between.
///
/// A stream whose handler lags behind is stopped by its lane and goes on when the handler has
/// caught up, so that it holds few buffers.
package final class StreamReceiver: LaneStream, @unchecked Sendable {
    // Safety: `delivered` is the lane's; `held`, `isPaused`, `isHandling` belong to the queue.
    private unowned(unsafe) let client: any StreamReceiverClient
    private let isUnix: Bool
    /// Chunks that were pushed to the queue.
    @exclusivity(unchecked) private var delivered: UInt32 = 0
    /// Chunks that the handler has seen. Stored (relaxed) by the queue, read by the lane: a hint.
    private let handled = Atomic<UInt32>(0)
    /// Chunks that came while receiving was paused.
    @exclusivity(unchecked) private var held = JobList()
    @exclusivity(unchecked) package private(set) var isPaused = false
    @exclusivity(unchecked) private var isHandling = false
    /// What comes is dropped.
    @exclusivity(unchecked) private var isDiscarding = false
    /// The end that came while receiving was paused.
    @exclusivity(unchecked) private var heldEnd: Int32?

    /// - Parameter isUnix: it is a Unix socket; nil: find out.
    package init(
        descriptor: Int32, isUnix: Bool? = nil, queue: DispatchQueue, laneNumber: Int? = nil,
        client: any StreamReceiverClient
    ) {
        self.client = client
        self.isUnix = isUnix ?? Sockets.isUnix(descriptor)
        super.init(descriptor: descriptor, queue: queue, laneNumber: laneNumber)
    }

    // MARK: on the queue

    /// No further call of `received`, from the next one on. The kernel is told, so that the peer
    /// finds its sends taken no more.
    package func pause() {
        guard !isPaused else { return }
        isPaused = true
        stop()
    }

    package func resume() {
        guard isPaused else { return }
        isPaused = false
        if heldEnd == nil { start() }
        if !isHandling { handleHeld() }
    }

    /// Drops what has come and what still comes.
    package func discard() {
        isDiscarding = true
        let context = Context.current
        while let job = held.popFirst() { giveBack(job.chunk, context) }
        heldEnd = nil
    }

    private func handleHeld() {
        let context = Context.current
        while !isPaused, let job = held.popFirst() { handle(job.chunk, context) }
        if !isPaused, let end = heldEnd.take() { client.receivingEnded(end) }
    }

    /// A chunk's job.
    @inline(__always)
    static func receive(_ job: JobPointer, _ context: Context) {
        guard let object = job.pointee.object else { return }
        // The end's job, which is behind this one, holds the reference.
        Unmanaged<StreamReceiver>.fromOpaque(object)._withUnsafeGuaranteedRef { receiver in
            if receiver.isPaused || !receiver.held.isEmpty {
                receiver.hold(job, context)
            } else {
                receiver.handle(job.chunk, context)
            }
        }
    }

    private func hold(_ job: JobPointer, _ context: Context) {
        if isDiscarding { giveBack(job.chunk, context) } else { held.append(job) }
    }

    @inline(__always)
    private func handle(_ chunk: ChunkPointer, _ context: Context) {
        if !isDiscarding {
            isHandling = true
            client.received(chunk.pointee.bytes)
            isHandling = false
        }
        giveBack(chunk, context)
    }

    @inline(__always)
    private func giveBack(_ chunk: ChunkPointer, _ context: Context) {
        handled.store(handled.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        let home = chunk.pointee.lane
        if context.pointee.lane == home, home.isHeld(by: context) {
            // Once the thread is back in its lane.
            context.pointee.chunks.append(chunk.job)
        } else {
            home.request(.giveBack(chunk), from: context)
        }
    }

    override func ended(_ result: Int32) {
        guard isPaused && !isDiscarding else { return client.receivingEnded(result) }
        // The end of a pause is another start; any other end waits its turn.
        if result != FileRequest.cancelled { heldEnd = result }
    }

    // MARK: on the lane

    override func begin(token: UInt64) {
        lane.receive(descriptor: descriptor, isUnix: isUnix, token: token)
    }

    override func isPassing(_ result: Int32) -> Bool {
        result > 0 || result == FileRequest.cancelled || result == -ErrorCode.noBuffers
    }

    @inline(__always)
    override func came(_ completion: Completion, _ context: Context) {
        guard let number = completion.buffer else { return }
        let chunk = lane.takeChunk(number, count: completion.result)
        chunk.job.pointee.object = Unmanaged.passUnretained(self).toOpaque()
        chunk.job.pointee.band = queue.band
        delivered &+= 1
        queue.push(chunk.job, context)
        if delivered &- handled.load(ordering: .relaxed) >= lane.mostChunksPerStream && isOut {
            end()
        }
    }
}
