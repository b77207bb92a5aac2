internal import LinuxPlatform
internal import Synchronization

/// Receives from a stream socket without end: bytes are handed to the client on the queue, in the
/// loop's own buffers, and nothing has to be asked for again in between.
///
/// A stream whose handler lags behind is stopped by its loop and goes on when the handler has
/// caught up, so that it holds few buffers.
package final class StreamReceiver: LoopStream, @unchecked Sendable {
    // Safety: `delivered` is the loop's; `held`, `isPaused`, `isHandling` belong to the queue.
    private unowned(unsafe) let client: any StreamReceiverClient
    private let isUnix: Bool
    /// Chunks that were pushed to the queue.
    @exclusivity(unchecked) private var delivered: UInt32 = 0
    /// Chunks that the handler has seen. Stored (relaxed) by the queue, read by the loop: a hint.
    private let handled = Atomic<UInt32>(0)
    /// Chunks that came while receiving was paused.
    @exclusivity(unchecked) private var held = WorkItemList()
    @exclusivity(unchecked) package private(set) var isPaused = false
    @exclusivity(unchecked) private var isHandling = false
    /// What comes is dropped.
    @exclusivity(unchecked) private var isDiscarding = false
    /// The end that came while receiving was paused.
    @exclusivity(unchecked) private var heldEnd: Int32?

    /// - Parameter isUnix: it is a Unix socket; nil: find out.
    package init(
        descriptor: Int32, isUnix: Bool? = nil, queue: DispatchQueue, loopNumber: Int? = nil,
        client: any StreamReceiverClient
    ) {
        self.client = client
        self.isUnix = isUnix ?? Sockets.isUnix(descriptor)
        super.init(descriptor: descriptor, queue: queue, loopNumber: loopNumber)
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
        while let workItem = held.popFirst() { giveBack(workItem.receiveBuffer, context) }
        heldEnd = nil
    }

    private func handleHeld() {
        let context = Context.current
        while !isPaused, let workItem = held.popFirst() { handle(workItem.receiveBuffer, context) }
        if !isPaused, let end = heldEnd.take() { client.receivingEnded(end) }
    }

    /// A receive buffer's work item.
    @inline(__always)
    static func receive(_ workItem: WorkItemPointer, _ context: Context) {
        guard let object = workItem.pointee.object else { return }
        // The end's work item, which is behind this one, holds the reference.
        Unmanaged<StreamReceiver>.fromOpaque(object)._withUnsafeGuaranteedRef { receiver in
            if receiver.isPaused || !receiver.held.isEmpty {
                receiver.hold(workItem, context)
            } else {
                receiver.handle(workItem.receiveBuffer, context)
            }
        }
    }

    private func hold(_ workItem: WorkItemPointer, _ context: Context) {
        if isDiscarding { giveBack(workItem.receiveBuffer, context) } else { held.append(workItem) }
    }

    @inline(__always)
    private func handle(_ receiveBuffer: ReceiveBufferPointer, _ context: Context) {
        if !isDiscarding {
            isHandling = true
            client.received(receiveBuffer.pointee.bytes)
            isHandling = false
        }
        giveBack(receiveBuffer, context)
    }

    @inline(__always)
    private func giveBack(_ receiveBuffer: ReceiveBufferPointer, _ context: Context) {
        handled.store(handled.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        let home = receiveBuffer.pointee.loop
        if context.pointee.loop == home, home.isHeld(by: context) {
            // Once the thread is back in its loop.
            context.pointee.receiveBuffers.append(receiveBuffer.workItem)
        } else {
            home.request(.giveBack(receiveBuffer), from: context)
        }
    }

    override func ended(_ result: Int32) {
        guard isPaused && !isDiscarding else { return client.receivingEnded(result) }
        // The end of a pause is another start; any other end waits its turn.
        if result != FileRequest.cancelled { heldEnd = result }
    }

    // MARK: on the loop

    override func begin(token: UInt64) {
        loop.receive(descriptor: descriptor, isUnix: isUnix, token: token)
    }

    override func isPassing(_ result: Int32) -> Bool {
        result > 0 || result == FileRequest.cancelled || result == -ErrorCode.noBuffers
    }

    @inline(__always)
    override func received(_ completion: Completion, _ context: Context) {
        guard let number = completion.buffer else { return }
        let receiveBuffer = loop.takeReceiveBuffer(number, count: completion.result)
        receiveBuffer.workItem.pointee.object = Unmanaged.passUnretained(self).toOpaque()
        receiveBuffer.workItem.pointee.priority = queue.priority
        delivered &+= 1
        queue.push(receiveBuffer.workItem, context)
        if delivered &- handled.load(ordering: .relaxed) >= loop.mostBuffersPerStream && isOut {
            end()
        }
    }
}
