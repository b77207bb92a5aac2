internal import LinuxPlatform
public import RingDispatch

/// A stream connection: TCP, or a Unix socket.
///
/// Everything happens on the connection's own serial queue, whose target may be a queue of the
/// program: connections that share a target are isolated from each other by it. Handlers are called
/// there, one after the other, and may block as long as they like: other connections go on.
///
/// The methods may be called from any thread; on the queue they take effect at once, elsewhere a
/// little later, in the order of the calls. An open connection keeps itself alive; it is closed by
/// `close`, `abort`, the peer or an error, and then calls its close handler once.
public final class Connection: StreamReceiverClient, QueueConfined, @unchecked Sendable {
    // Safety: what is not immutable belongs to `queue`; before `activate`, to whoever made it.
    public let queue: DispatchQueue
    let descriptor: Int32
    /// See ``ConnectionOptions``.
    let sendHighWaterBytes: Int
    let sendLowWaterBytes: Int
    let receiveMaximumBytes: Int
    let pausesReceivingWhileUnwritable: Bool
    /// TLS or the like is between this and the socket: it is in `extras`.
    @exclusivity(unchecked) var isSecured = false
    /// What comes in larger pieces than this takes the long way; -1: all.
    @exclusivity(unchecked) var receiveLimit: Int
    @exclusivity(unchecked) var handlers = ConnectionHandlers()
    @exclusivity(unchecked) var counters = ConnectionCounters()
    @exclusivity(unchecked) private(set) var receiver: StreamReceiver?
    @exclusivity(unchecked) var watch: ReadinessRegistration?
    @exclusivity(unchecked) var outgoing = OutgoingQueue()
    /// What few connections need.
    @exclusivity(unchecked) private(set) var extras: ConnectionExtras?
    /// On CLOCK_MONOTONIC; 0: not activated.
    @exclusivity(unchecked) private(set) var activationNanoseconds: UInt64 = 0
    @exclusivity(unchecked) private(set) var phase = ConnectionState.setup
    private let setup = SetupPhase()
    @exclusivity(unchecked) private(set) var reason: CloseReason?
    /// While it is open: itself.
    @exclusivity(unchecked) private var life: Connection?
    /// Called last, after the close handler: the listener that accepted the connection counts it.
    @exclusivity(unchecked) var notifyListener: ((Connection) -> Void)?
    /// Its index among the listener's connections; belongs to the listener's queue.
    @exclusivity(unchecked) var place = 0
    /// Calls of `pauseReceiving` that were not taken back.
    @exclusivity(unchecked) private(set) var pauses = 0
    /// The peer has sent its last byte.
    @exclusivity(unchecked) var hasEnded = false
    /// The sending direction was or will be shut down.
    @exclusivity(unchecked) var isFinishing = false
    /// More is unsent than the high water mark, and not yet as little as the low one.
    @exclusivity(unchecked) var isBackedUp = false
    /// Nothing more is sent or received: only the kernel has to let go.
    @exclusivity(unchecked) private(set) var isTearingDown = false
    /// The peer is to find the connection reset.
    @exclusivity(unchecked) private var isAborting = false

    /// - Parameters:
    ///   - descriptor: a connected stream socket, which belongs to the connection from here on.
    ///   - target: the target of the connection's queue; nil: none.
    public convenience init(
        adopting descriptor: Int32, label: String = "connection", target: DispatchQueue? = nil,
        options: ConnectionOptions = ConnectionOptions()
    ) {
        let queue = DispatchQueue(label: label, target: target)
        self.init(adopting: descriptor, on: ConnectionPlacement(queue: queue), options: options)
    }

    /// - Parameters:
    ///   - isUnix: it is a Unix socket; nil: find out.
    ///   - placement: a serial queue, which may serve many connections, and the loop.
    package init(
        adopting descriptor: Int32, isUnix: Bool? = nil, on placement: ConnectionPlacement,
        options: ConnectionOptions
    ) {
        queue = placement.queue
        self.descriptor = descriptor
        sendHighWaterBytes = options.sendHighWaterBytes
        sendLowWaterBytes = options.sendLowWaterBytes
        pausesReceivingWhileUnwritable = options.pausesReceivingWhileUnwritable
        receiveMaximumBytes = max(1, options.receiveMaximumBytes)
        receiveLimit = receiveMaximumBytes
        receiver = StreamReceiver(
            descriptor: descriptor, isUnix: isUnix, queue: queue,
            loopNumber: placement.loopNumber, client: self)
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
        // Never activated.
        if phase == .setup { Sockets.close(descriptor) }
    }

    // MARK: handlers

    /// Called with bytes that came, as many as there are. The span is the loop's memory and ends
    /// with the call. Without a handler nothing is received.
    public func setReceiveHandler(_ handler: ((Connection, RawSpan) -> Void)?) {
        // Not `onQueue`, whose block would cost each new connection an allocation.
        guard isCurrent else { return hop { $0.setReceiveHandler(handler) } }
        handlers.receive = handler
        updateReceiving()
    }

    /// Called when the peer sends nothing more. It may still receive: send what is left, and close.
    /// Without a handler the connection closes itself then, when all is sent.
    public func setEndHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.handlers.end = handler }
    }

    /// Called when the connection is writable again; see ``isWritable``.
    public func setWritableHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.handlers.writable = handler }
    }

    /// Called once, when the descriptor is closed. All handlers are let go of with it.
    public func setCloseHandler(_ handler: ((Connection, CloseReason) -> Void)?) {
        guard isCurrent else { return hop { $0.setCloseHandler(handler) } }
        handlers.close = handler
    }

    // MARK: endpoints

    /// The peer's; nil for a Unix socket without a name, as clients have, and once it is gone.
    public var remoteEndpoint: Endpoint? {
        phase == .closed
            ? nil : Sockets.remoteAddress(of: descriptor).flatMap { Endpoint($0) }
    }

    /// This side's.
    public var localEndpoint: Endpoint? {
        phase == .closed ? nil : Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) }
    }

    // MARK: life

    /// Where the connection is in its life. On the queue.
    public var state: ConnectionState { phase }

    /// Begins to receive. Set the handlers before.
    public func activate() {
        onQueue { connection in
            guard connection.phase == .setup else { return }
            connection.phase = .active
            connection.life = connection
            connection.activationNanoseconds = MonotonicClock.nanoseconds()
            let isPlain = connection.extras == nil
            connection.setup.end()
            // A timer may fire there before this has returned.
            if isPlain { connection.updateReceiving() } else { connection.hop { $0.begin() } }
        }
    }

    private func begin() {
        guard !isTearingDown, let extras else { return }
        restartTimer()
        if let layer = extras.layer { startHandshake(layer) }
        updateReceiving()
    }

    /// No further call of the receive handler, until `resumeReceiving` was called as often.
    public func pauseReceiving() {
        onQueue {
            $0.pauses += 1
            $0.updateReceiving()
        }
    }

    /// Takes one `pauseReceiving` back.
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

    /// Closes once the kernel has taken all that was sent. Nothing more is received.
    public func close() { onQueue { $0.beginClose(.closed) } }

    /// Closes at once: the peer finds the connection reset, and what was not sent is lost.
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
        if isTearingDown { return finishIfQuiet() }
        guard phase == .active || isHandshaking, !hasEnded else { return }
        if result < 0 {
            tearDown(.failed(SocketError("recv", -result)))
        } else if let failure = extras?.layer?.receiveEnd() {
            fail(failure)
        } else {
            receivedEnd()
        }
    }

    /// Lets the receiver run or pause, as everything together wants it.
    func updateReceiving() {
        if let extras { return updateReceiving(extras) }
        guard let receiver, phase == .active, !hasEnded else { return }
        if !wantsToReceive {
            receiver.pause()
        } else if receiver.isPaused {
            receiver.resume()
        } else {
            receiver.start()
        }
    }

    // MARK: the end

    func beginClose(_ why: CloseReason) {
        guard phase == .setup || phase == .active else { return }
        // What waits for a handshake that nobody has begun waits in vain.
        let waitsInVain = isHandshaking && (phase == .setup || unsentBytes == 0)
        let hasGoodbye = isSecured && !isHandshaking
        if waitsInVain || outgoing.isEmpty && !isSecured { return tearDown(why) }
        if let error = extras?.sendError { return tearDown(.failed(error)) }
        reason = why
        phase = .closing
        setup.end()
        life = self
        // What a task may still ask for is kept, unless it has closed the connection itself.
        if let extras, !extras.isAwaited || why == .closed { extras.gathered = [] }
        failWaiter(why)
        if isHandshaking { return updateReceiving() }
        receiver?.discard()
        receiver?.stop()
        if hasGoodbye { flush() }
    }

    /// All that was sent is with the kernel.
    func drained() {
        extras?.hasDrained = true
        if phase == .closing && !isTearingDown {
            tearDown(reason ?? .closed)
        } else if isFinishing && !isTearingDown {
            Sockets.closeOutput(descriptor)
        }
    }

    func tearDown(_ why: CloseReason, aborts: Bool = false) {
        guard !isTearingDown else { return }
        isTearingDown = true
        isAborting = aborts || why == .aborted
        setup.end()
        reason = why
        phase = .closing
        life = self
        if !outgoing.isEmpty { fail(outgoing.abandon(), why) }
        if let extras {
            stopTimer()
            fail(extras.unencrypted.abandon(), why)
            failWaiter(why)
        }
        if let receiver {
            receiver.discard()
            receiver.stop()
        }
        watch?.cancel()
        finishIfQuiet()
    }

    private func fail(_ completions: [SendCompletion], _ why: CloseReason) {
        for completion in completions { hop { _ in completion.call(why.error) } }
    }

    func finishIfQuiet() {
        guard isTearingDown, phase == .closing, let receiver else { return }
        if receiver.isRunning || watch?.isWaiting ?? false { return }
        phase = .closed
        if isAborting { Sockets.abort(descriptor) } else { Sockets.close(descriptor) }
        // Behind what runs now, which may be one of the other handlers.
        hop { connection in
            let close = connection.handlers.close.take()
            connection.handlers = ConnectionHandlers()
            connection.receiver = nil
            connection.watch = nil
            connection.life = nil
            close?(connection, connection.reason ?? .closed)
            connection.extras?.layer = nil
            connection.extras?.handshake = nil
            connection.extras?.drain = nil
            // Last: when a listener has shut down, all close handlers have run.
            connection.notifyListener.take()?(connection)
        }
    }

    var isOpen: Bool { phase == .active || phase == .closing && !isTearingDown }

    var isOpenForSending: Bool { (phase == .active || phase == .setup) && !isFinishing }
}
