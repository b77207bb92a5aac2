internal import LinuxPlatform
public import RingDispatch

/// A stream connection: TCP, or a Unix socket.
///
/// Everything happens on the connection's own serial queue, where its handlers run one at a time.
/// They may block as long as they like: connections on other queues go on. Connections whose queues
/// have the same serial target (``ListenerOptions/connectionTarget``) share that queue: they never
/// run concurrently, and one that blocks delays the others.
///
/// The methods may be called from any thread. On the queue they take effect at once, elsewhere
/// asynchronously, in the order of the calls. An open connection retains itself. `close`, `abort`,
/// the peer or an error closes it, and then it calls its close handler once.
public final class Connection: StreamReceiverClient, QueueConfined, @unchecked Sendable {
    // Safety: mutable state belongs to `queue`; before `activate`, to the thread that made the
    // connection.
    public let queue: DispatchQueue
    let descriptor: Int32
    /// The peer's endpoint; nil for an unnamed Unix socket, as clients have, and for a peer that
    /// had left before the connection was made. getpeername(2).
    public let remoteEndpoint: Endpoint?
    /// This side's endpoint; nil for an unnamed Unix socket. getsockname(2).
    public let localEndpoint: Endpoint?
    /// See ``ConnectionOptions``.
    let sendHighWaterBytes: Int
    let sendLowWaterBytes: Int
    let receiveMaximumBytes: Int
    let pausesReceivingWhileUnwritable: Bool
    /// A security layer (TLS) is between the connection and the socket, in `extras`.
    @exclusivity(unchecked) var isSecured = false
    /// More bytes than this, received at once, go through `receiveSpecially`; -1: all bytes.
    @exclusivity(unchecked) var receiveLimit: Int
    @exclusivity(unchecked) var handlers = ConnectionHandlers()
    @exclusivity(unchecked) var counters = ConnectionCounters()
    @exclusivity(unchecked) private(set) var receiver: StreamReceiver?
    @exclusivity(unchecked) var outgoing = OutgoingQueue()
    /// State that few connections need.
    @exclusivity(unchecked) private(set) var extras: ConnectionExtras?
    /// On CLOCK_MONOTONIC; 0: not activated.
    @exclusivity(unchecked) private(set) var activationNanoseconds: UInt64 = 0
    @exclusivity(unchecked) private(set) var phase = ConnectionState.setup
    private let setup = SetupPhase()
    @exclusivity(unchecked) private(set) var reason: CloseReason?
    /// Itself while the connection is open, which keeps it alive.
    @exclusivity(unchecked) private var life: Connection?
    /// Called last, after the close handler, so that the listener counts the connection as closed.
    @exclusivity(unchecked) var notifyListener: ((Connection) -> Void)?
    /// The index in the listener's array of connections; belongs to the listener's queue.
    @exclusivity(unchecked) var place = 0
    /// Calls of `pauseReceiving` without a matching `resumeReceiving`.
    @exclusivity(unchecked) private(set) var pauses = 0
    /// The peer has sent its last byte.
    @exclusivity(unchecked) var hasEnded = false
    /// The sending direction is shut down, or will be after the last send.
    @exclusivity(unchecked) var isFinishing = false
    /// Set above the high water mark, cleared at the low water mark.
    @exclusivity(unchecked) var isBackedUp = false

    /// - Parameters:
    ///   - descriptor: a connected stream socket, owned by the connection from now on.
    ///   - target: the target of the connection's queue; nil: none.
    public convenience init(
        adopting descriptor: Int32, label: String = "connection", target: DispatchQueue? = nil,
        options: ConnectionOptions = ConnectionOptions()
    ) {
        let queue = DispatchQueue(label: label, target: target)
        self.init(adopting: descriptor, on: ConnectionPlacement(queue: queue), options: options)
    }

    /// - Parameters:
    ///   - isUnix: whether it is a Unix socket; nil: ask the kernel.
    ///   - placement: a serial queue, which several connections may share, and the loop.
    package init(
        adopting descriptor: Int32, isUnix: Bool? = nil, on placement: ConnectionPlacement,
        options: ConnectionOptions
    ) {
        queue = placement.queue
        self.descriptor = descriptor
        remoteEndpoint = Sockets.remoteAddress(of: descriptor).flatMap { Endpoint($0) }
        localEndpoint = Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) }
        sendHighWaterBytes = options.sendHighWaterBytes
        sendLowWaterBytes = options.sendLowWaterBytes
        pausesReceivingWhileUnwritable = options.pausesReceivingWhileUnwritable
        receiveMaximumBytes = max(1, options.receiveMaximumBytes)
        receiveLimit = receiveMaximumBytes
        receiver = StreamReceiver(
            descriptor: descriptor, isUnix: isUnix, queue: queue,
            loopNumber: placement.loopNumber, mostUnsent: options.sendHighWaterBytes, client: self)
        let hasTimeouts = options.timeouts != ConnectionTimeouts()
        if hasTimeouts || options.receiveMinimumBytes > 1 {
            let extras = makeExtras()
            extras.timeouts = options.timeouts
            extras.receiveMinimumBytes = max(1, options.receiveMinimumBytes)
            updateReceiveLimit()
        }
    }

    func makeExtras() -> ConnectionExtras {
        if let extras { return extras }
        let made = ConnectionExtras()
        extras = made
        return made
    }

    deinit {
        // The connection was never activated.
        if phase == .setup { Sockets.close(descriptor) }
    }

    // MARK: handlers

    /// Sets all handlers at once, so that they can share state. A handler that is nil is removed.
    public func setHandlers(_ handlers: sending ConnectionHandlers) {
        guard isCurrent else { return hop { $0.replaceHandlers(handlers) } }
        replaceHandlers(handlers)
    }

    private func replaceHandlers(_ handlers: ConnectionHandlers) {
        self.handlers = handlers
        updateReceiving()
    }

    /// Sets the handler that receives bytes, as many as have arrived, up to 64 KiB. The span is the
    /// thread's memory and is valid only during the call. Without a handler nothing is received.
    public func setReceiveHandler(_ handler: sending ((Connection, RawSpan) -> Void)?) {
        // `onQueue` would allocate a block for each new connection.
        guard isCurrent else { return hop { $0.replaceReceiveHandler(handler) } }
        replaceReceiveHandler(handler)
    }

    private func replaceReceiveHandler(_ handler: ((Connection, RawSpan) -> Void)?) {
        handlers.receive = handler
        updateReceiving()
    }

    /// Sets the handler that is called when the peer has ended its stream. The peer may still
    /// receive: send the rest, and close. Without a handler the connection then closes itself once
    /// all is sent.
    public func setEndHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.handlers.end = handler }
    }

    /// Sets the handler that is called when the connection is writable again; see ``isWritable``.
    public func setWritableHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.handlers.writable = handler }
    }

    /// Sets the handler that is called once, when the descriptor is closed. All handlers are
    /// released then.
    public func setCloseHandler(_ handler: sending ((Connection, CloseReason) -> Void)?) {
        guard isCurrent else { return hop { $0.handlers.close = handler } }
        handlers.close = handler
    }

    // MARK: life

    /// The connection's state. On the queue.
    public var state: ConnectionState { phase }

    /// Starts receiving. Set the handlers first.
    public func activate() {
        onQueue { connection in
            guard connection.phase == .setup else { return }
            connection.phase = .active
            connection.life = connection
            connection.activationNanoseconds = MonotonicClock.nanoseconds()
            let isPlain = connection.extras == nil
            connection.setup.end()
            // `begin` arms a timer that may fire on the queue at once, so it must run there, too.
            if isPlain { connection.updateReceiving() } else { connection.hop { $0.begin() } }
        }
    }

    private func begin() {
        guard phase != .closed, let extras else { return }
        restartTimer()
        if let layer = extras.layer { startHandshake(layer) }
        updateReceiving()
    }

    /// Stops the calls of the receive handler until `resumeReceiving` was called as often.
    public func pauseReceiving() {
        onQueue {
            $0.pauses += 1
            $0.updateReceiving()
        }
    }

    /// Undoes one `pauseReceiving`.
    public func resumeReceiving() {
        onQueue { connection in
            guard connection.pauses > 0 else {
                fatalMisuse(
                    "resumeReceiving of connection '\(connection.queue.label)' without a pause")
            }
            connection.pauses -= 1
            connection.updateReceiving()
        }
    }

    /// Closes once the kernel has taken all sent bytes. Nothing more is received.
    public func close() { onQueue { $0.beginClose(.closed) } }

    /// Closes at once with a reset (RST): unsent bytes are lost.
    public func abort() { onQueue { $0.tearDown(.aborted) } }

    // MARK: on the queue

    @inline(__always)
    var isInSetup: Bool { setup.isOn }

    // MARK: StreamReceiverClient

    package func received(_ bytes: UnsafeRawBufferPointer) {
        counters.receives &+= 1
        counters.bytesReceived &+= UInt64(bytes.count)
        if bytes.count > receiveLimit {
            receiveSpecially(bytes)
        } else {
            handlers.receive?(self, RawSpan(_unsafeBytes: bytes))
        }
    }

    package func receivingEnded(_ result: Int32) {
        guard phase == .active || isHandshaking, !hasEnded else { return }
        if result < 0 {
            tearDown(.failed(SocketError("recv", -result)))
        } else if let failure = extras?.layer?.receiveEnd() {
            fail(failure)
        } else {
            receivedEnd()
        }
    }

    /// Starts, pauses or resumes the receiver, as the connection's state requires.
    func updateReceiving() {
        if let extras { return updateReceiving(extras) }
        guard let receiver, phase == .active, !hasEnded else { return }
        if wantsToReceive { return receiver.resume() }
        receiver.pause()
        receiver.watch()
    }

    // MARK: the end

    func beginClose(_ why: CloseReason) {
        guard phase == .setup || phase == .active else { return }
        settleSends()
        // Bytes that wait for a handshake can never be sent if the handshake was never started.
        let waitsInVain = isHandshaking && (phase == .setup || unsentBytes == 0)
        let hasGoodbye = isSecured && !isHandshaking
        if waitsInVain || outgoing.isEmpty && !isSecured { return tearDown(why) }
        if let error = extras?.sendError { return tearDown(.failed(error)) }
        reason = why
        phase = .closing
        setup.end()
        life = self
        extras?.gathered = []
        if isHandshaking { return updateReceiving() }
        receiver?.pause()
        if hasGoodbye { flush() }
    }

    /// The kernel has taken all sent bytes.
    func drained() {
        extras?.hasDrained = true
        if phase == .closing {
            tearDown(reason ?? .closed)
        } else if isFinishing && phase != .closed {
            Sockets.closeOutput(descriptor)
        }
    }

    func tearDown(_ why: CloseReason, aborts: Bool = false) {
        guard phase != .closed else { return }
        settleSends()
        phase = .closed
        setup.end()
        reason = why
        life = self
        if !outgoing.isEmpty { fail(outgoing.abandon(), why) }
        if let extras {
            stopTimer()
            fail(extras.unencrypted.abandon(), why)
        }
        receiver?.end()
        let isAborting = aborts || why == .aborted
        if isAborting { Sockets.abort(descriptor) } else { Sockets.close(descriptor) }
        finish()
    }

    private func fail(_ completions: [SendCompletion], _ why: CloseReason) {
        for completion in completions { hop { _ in completion.call(why.error) } }
    }

    private func finish() {
        // After the current work item, which may be another handler of the connection.
        hop { connection in
            let close = connection.handlers.close.take()
            connection.handlers = ConnectionHandlers()
            connection.receiver = nil
            connection.life = nil
            close?(connection, connection.reason ?? .closed)
            connection.extras?.layer = nil
            // Last, so that all close handlers have run when a listener's shutdown completes.
            connection.notifyListener.take()?(connection)
        }
    }

    var isOpen: Bool { phase == .active || phase == .closing }

    var isOpenForSending: Bool { (phase == .active || phase == .setup) && !isFinishing }
}
