internal import LinuxPlatform
internal import Synchronization

/// Receives from a stream socket until it is stopped, and passes the bytes to the client on the
/// queue, in the loop's receive buffers. No new request is needed between two receipts.
///
/// If the handler lags behind, the loop stops the stream until the handler has caught up, so that a
/// stream holds few buffers.
package final class StreamReceiver: LoopStream, @unchecked Sendable {
    // Safety: `delivered` is the loop's; `held`, `isPaused`, `isHandling` belong to the queue.
    private unowned(unsafe) let client: any StreamReceiverClient
    private let isUnix: Bool
    /// Number of receive buffers pushed to the queue.
    @exclusivity(unchecked) private var delivered: UInt32 = 0
    /// Number of receive buffers that the handler has processed. Stored (relaxed) by the queue,
    /// read by the loop as a hint.
    private let handled = Atomic<UInt32>(0)
    /// Receive buffers that arrived while receiving was paused.
    @exclusivity(unchecked) private var held = WorkItemList()
    @exclusivity(unchecked) package private(set) var isPaused = false
    @exclusivity(unchecked) private var isHandling = false
    /// Further bytes are dropped.
    @exclusivity(unchecked) private var isDiscarding = false
    /// The end that arrived while receiving was paused.
    @exclusivity(unchecked) private var heldEnd: Int32?

    /// - Parameter isUnix: whether it is a Unix socket; nil: detect it.
    package init(
        descriptor: Int32, isUnix: Bool? = nil, queue: DispatchQueue, loopNumber: Int? = nil,
        client: any StreamReceiverClient
    ) {
        self.client = client
        self.isUnix = isUnix ?? Sockets.isUnix(descriptor)
        super.init(descriptor: descriptor, queue: queue, loopNumber: loopNumber)
    }

    // MARK: on the queue

    /// Stops calls of `received`, from the next one on. The kernel stops receiving too, so that the
    /// peer's sends stall.
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

    /// Drops the bytes that have arrived, and those that still arrive.
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

    /// Handles a receive buffer's work item.
    @inline(__always)
    static func receive(_ workItem: WorkItemPointer, _ context: Context) {
        guard let object = workItem.pointee.object else { return }
        // The end's work item, which follows this one, holds the reference.
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
            // The thread gives it back when it is in its loop again.
            context.pointee.receiveBuffers.append(receiveBuffer.workItem)
        } else {
            home.request(.giveBack(receiveBuffer), from: context)
        }
    }

    override func ended(_ result: Int32) {
        guard isPaused && !isDiscarding else { return client.receivingEnded(result) }
        // A cancellation here comes from `pause`, and `resume` starts again. Keep any other end.
        if result != FileRequest.cancelled { heldEnd = result }
    }

    // MARK: on the loop

    override func begin(token: UInt64) {
        loop.receive(descriptor: descriptor, isUnix: isUnix, token: token)
    }

    override var needsBuffers: Bool { true }

    @inline(__always)
    override func received(_ completion: Completion, _ context: Context) {
        guard let number = completion.buffer else { return }
        let receiveBuffer = loop.takeReceiveBuffer(number, count: completion.result)
        receiveBuffer.workItem.pointee.object = Unmanaged.passUnretained(self).toOpaque()
        receiveBuffer.workItem.pointee.priority = queue.priority
        delivered &+= 1
        queue.push(receiveBuffer.workItem, context)
        let waiting = delivered &- handled.load(ordering: .relaxed)
        if waiting >= loop.mostBuffersPerStream { end() }
    }
}
