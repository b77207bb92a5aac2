internal import LinuxPlatform

/// A stream socket: passes the bytes that it receives to the client on the queue, and sends.
///
/// The bytes are in memory of the thread that runs the queue, so that a few buffers, which stay in
/// the cache, serve any number of connections.
package final class StreamSocket: DescriptorWatch, @unchecked Sendable {
    // Safety: the state belongs to the queue; the rest is constant, `client` once it is set.
    private unowned(unsafe) var client: (any StreamSocketClient)!
    package let isUnix: Bool
    private let store = Confined(State())

    /// The state of the queue.
    var confined: State {
        @inline(__always) unsafeAddress { UnsafePointer(store.address) }
        @inline(__always) unsafeMutableAddress { store.address }
    }

    struct State {
        fileprivate var isPaused = true
        fileprivate var announces = false
        /// Bytes, the end or an error may be waiting.
        fileprivate var isReadable = false
        /// More than bytes may be waiting: only a call that receives nothing shows the end.
        fileprivate var mayHaveEnded = false
        /// The end or an error was reported.
        fileprivate var hasEnded = false
        fileprivate var isBlocked = false
        /// Where the stream has bytes, unless they have left meanwhile. The queue changes it under
        /// the batch's lock. No batch ever ends.
        var batch: Unmanaged<SendBatch>?
        /// The batch's number then, likewise.
        var batchNumber: UInt64 = 0
        /// Bytes of the batch that the kernel has not taken. Guarded by the batch's lock.
        var unsent: [UInt8]?
        /// The last handler took so long that bytes in a batch would have waited for it.
        var isSlow = false
    }

    let mayBatch: Bool

    private static let readEvents =
        PollEvents.readable | PollEvents.urgent | PollEvents.readHangUp | PollEvents.always
    private static let endEvents =
        PollEvents.urgent | PollEvents.readHangUp | PollEvents.always

    /// - Parameters:
    ///   - isUnix: whether it is a Unix socket.
    ///   - mostUnsent: how many bytes may be found unsent after a handler that sent them.
    package init(
        descriptor: Int32, isUnix: Bool, queue: DispatchQueue, loopNumber: Int? = nil,
        mostUnsent: Int = .max
    ) {
        mayBatch = mostUnsent >= Tuning.batchBytes
        self.isUnix = isUnix
        super.init(
            descriptor: descriptor, queue: queue,
            events: PollEvents.readable | PollEvents.urgent | PollEvents.readHangUp,
            loopNumber: loopNumber)
    }

    /// Call it once, before anything else.
    package func setClient(_ client: any StreamSocketClient) { self.client = client }

    // MARK: on the queue

    /// Begins to receive, or goes on after a pause.
    /// - Parameter announces: bytes are only announced, by `becameReadable`, which is a pause; the
    ///   client then calls `receiveNow`.
    /// - Returns: whether it goes on after a pause.
    package func resume(announces: Bool) -> Bool {
        guard confined.isPaused, !confined.hasEnded else { return false }
        confined.announces = announces
        confined.isPaused = false
        guard isWatching else {
            watch()
            return false
        }
        if confined.isReadable { callReady() }
        return true
    }

    /// Begins to watch, if necessary: while it is paused, too, a reset is reported.
    package func watch() {
        guard !isWatching, !confined.hasEnded else { return }
        checkWatch(begin())
    }

    /// Reports an error of `begin` or `extend`.
    private func checkWatch(_ code: Int32) {
        guard code != 0 else { return }
        // Safety: used on the queue. The block keeps the client until it has reported.
        nonisolated(unsafe) let client = client!
        queue.submit { [self] in
            confined.hasEnded = true
            client.watchingFailed(code)
        }
    }

    /// Stops calls of `received`, from the next one on. The kernel stops receiving too, so that the
    /// peer's sends stall.
    package func pause() { confined.isPaused = true }

    /// Calls `becameWritable` once when the socket has room.
    /// - Parameter mayHaveRoom: the last send was not refused, so there is no event: call soon,
    ///   after the queue's other work.
    package func waitUntilWritable(mayHaveRoom: Bool) {
        confined.isBlocked = true
        if mayHaveRoom && isWatching { return notify(PollEvents.writable, Context.current) }
        // Once it is watched for, the kernel reports room that comes after a full buffer.
        if events & PollEvents.writable != 0 { return }
        if isWatching {
            checkWatch(extend(by: PollEvents.writable))
        } else {
            events |= PollEvents.writable
            checkWatch(begin())
        }
    }

    // MARK: events

    override func ready(_ events: UInt32, _ context: Context) -> Bool {
        if events & StreamSocket.sendFailed != 0 { client.sendFailed() }
        if confined.isSlow { context.pointee.loop?.submitSends() }
        let start = Ticks.now()
        let goesOn = handle(events, context)
        confined.isSlow = Ticks.now() &- start > Tuning.slowHandlerTicks
        return goesOn
    }

    private func handle(_ events: UInt32, _ context: Context) -> Bool {
        if events & StreamSocket.readEvents != 0 {
            confined.isReadable = true
            if events & StreamSocket.endEvents != 0 { confined.mayHaveEnded = true }
        }
        if confined.isBlocked, events & (PollEvents.writable | PollEvents.always) != 0 {
            confined.isBlocked = false
            client.becameWritable()
        }
        guard confined.isReadable, isWatching, !confined.hasEnded else { return false }
        if !confined.isPaused && confined.announces {
            confined.isPaused = true
            client.becameReadable()
            if confined.isReadable && !confined.isPaused && isWatching { return true }
        } else if !confined.isPaused, receiveAll(context) {
            return true
        }
        if confined.mayHaveEnded { examineReset() }
        return false
    }

    /// Receives until nothing is left, or the client pauses.
    /// - Returns: whether others get their turn first.
    @inline(__always)
    private func receiveAll(_ context: Context) -> Bool {
        let memory = ThreadMemory.take(context)
        defer { memory.giveBack(context) }
        var received = 0
        while confined.isReadable, !confined.isPaused, isWatching {
            if received >= Tuning.bytesInARow { return true }
            received += receive(into: memory, context) { client.received($0) }
        }
        return false
    }

    /// Receives once.
    /// - Returns: the number of bytes.
    @inline(__always)
    private func receive(
        into memory: ThreadMemory, _ context: Context,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Int {
        let count = Sockets.receive(descriptor, into: memory.start, Tuning.receiveBytes)
        guard count > 0 else {
            confined.isReadable = false
            confined.mayHaveEnded = false
            if count != Sockets.wouldBlock { report(Int32(count)) }
            return 0
        }
        if count == Tuning.receiveBytes {
            context.pointee.arrivals.noteIndependent()
        } else if !confined.mayHaveEnded && !isUnix {
            confined.isReadable = false
        }
        body(UnsafeRawBufferPointer(start: memory.start, count: count))
        return count
    }

    /// Receives once what was announced. `body` gets the bytes, if there are any, during the call.
    @inline(__always)
    package func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard confined.isReadable, isWatching, !confined.hasEnded else { return }
        let context = Context.current
        let memory = ThreadMemory.take(context)
        defer {
            memory.giveBack(context)
            // No event reports a reset again.
            if confined.mayHaveEnded { callReady() }
            // One receive may take less than all from a Unix socket. Nothing is announced in vain.
            if isUnix, isWatching, !confined.mayHaveEnded,
                Descriptors.bytesReadable(descriptor) == 0
            {
                confined.isReadable = false
            }
        }
        _ = receive(into: memory, context, body)
    }

    /// While nothing is received, a connection that was reset, and has no bytes left, ends.
    private func examineReset() {
        guard confined.isPaused, isWatching, Descriptors.bytesReadable(descriptor) == 0 else {
            return
        }
        let code = Sockets.pendingError(of: descriptor)
        if code != 0 { report(-code) }
    }

    private func report(_ result: Int32) {
        guard !confined.hasEnded else { return }
        confined.hasEnded = true
        client.receivingEnded(result)
    }
}
