internal import LinuxPlatform
public import RingDispatch

/// A stream connection: TCP, or a Unix socket.
///
/// Everything happens on the connection's own serial queue, where its handlers run one at a time.
/// They may block as long as they like: connections on other queues go on. Connections may share a
/// queue (``ListenerOptions/placement``): they never run concurrently, and one that blocks delays
/// the others.
///
/// Until ``activate()``, one thread at a time may use it; then any. On the queue the methods take
/// effect at once, elsewhere asynchronously, in the order of the calls. An open connection retains
/// itself. `close`, `abort`, the peer or an error closes it, and then it calls its close handler
/// once.
public final class Connection: StreamSocketClient, QueueConfined {
    /// Runs the handlers. Work that you submit to it never runs concurrently with them.
    public let queue: DispatchQueue
    // Small fields fill the gaps, since servers have many connections.
    /// The peer's endpoint; nil for an unnamed Unix socket, as clients have, and for a peer that
    /// had left before its descriptor was adopted. accept(2), getpeername(2).
    public let remoteEndpoint: Endpoint?
    let descriptor: Int32
    /// This side's endpoint; nil for an unnamed Unix socket. That of the listener, if it listens at
    /// one address and does not set IP_TRANSPARENT; otherwise getsockname(2).
    public let localEndpoint: Endpoint?
    /// See ``ConnectionOptions``.
    let pausesReceivingWhileUnwritable: Bool
    private let setup = SetupPhase()
    /// See ``ConnectionOptions``.
    let sendHighWaterBytes: Int
    let sendLowWaterBytes: Int
    let counters = ConnectionCounters()
    let stream: StreamSocket
    let store = Confined(State())

    struct State {
        /// Why the connection closes, or is closed; nil while it does not.
        fileprivate(set) var reason: CloseReason?
        fileprivate(set) var phase = ConnectionState.setup
        var handlers = ConnectionHandlers()
        var outgoing = OutgoingQueue()
        /// The peer has sent its last byte.
        var hasEnded = false
        /// Nothing more is accepted for sending: after `closeOutput`, `close`, or a failure.
        var isFinishing = false
        /// Set above the high water mark, cleared at the low water mark.
        var isBackedUp = false
        /// The handlers belong to an ``AsyncConnection``. When bytes may be waiting, receiving is
        /// paused, and the receive handler called without any; `receiveNow` receives them.
        var isAwaited = false
        /// The listener's shutdown has begun to end the connection.
        var isDraining = false
        /// Receiving was paused at some time since the clock's last tick; without a clock, ever.
        var hasPaused = false
        /// Calls of `pauseReceiving` without a matching `resumeReceiving`.
        var pauses: Int32 = 0
        /// The parts that only some connections have.
        var intake: ConnectionIntake?
        var security: SecurityLayer?
        var clock: ConnectionClock?
        /// The connection itself while it is open, which keeps it alive.
        fileprivate var itself: Connection?
        /// The listener that has accepted the connection, until it has closed.
        var owner: (any ConnectionOwner)?
    }

    /// - Parameters:
    ///   - descriptor: a connected stream socket, owned by the connection from now on. Another kind
    ///     of descriptor, and a listening socket, end the process.
    ///   - label: of the connection's queue.
    ///   - target: the target of the connection's queue; nil: none.
    ///   - options: time-outs, water marks and the like.
    public convenience init(
        adopting descriptor: Int32, label: String = "connection", target: DispatchQueue? = nil,
        options: ConnectionOptions = ConnectionOptions()
    ) {
        guard Sockets.isStream(descriptor) == true, !Sockets.isListening(descriptor) else {
            fatalMisuse(
                "descriptor \(descriptor) is not a connected stream socket and cannot be adopted")
        }
        options.check()
        let queue = DispatchQueue(label: label, target: target)
        self.init(adopting: descriptor, on: ConnectionPlacement(queue: queue), options: options)
    }

    /// - Parameters:
    ///   - endpoints: nil: ask the kernel.
    ///   - placement: a serial queue, which several connections may share, and the loop.
    package init(
        adopting descriptor: Int32, _ endpoints: SocketEndpoints? = nil,
        on placement: ConnectionPlacement, options: ConnectionOptions
    ) {
        let endpoints = endpoints ?? SocketEndpoints(of: descriptor)
        queue = placement.queue
        self.descriptor = descriptor
        remoteEndpoint = endpoints.remote
        localEndpoint = endpoints.local
        sendHighWaterBytes = options.sendHighWaterBytes
        sendLowWaterBytes = min(options.sendLowWaterBytes, options.sendHighWaterBytes)
        pausesReceivingWhileUnwritable = options.pausesReceivingWhileUnwritable
        stream = StreamSocket(
            descriptor: descriptor, isUnix: endpoints.isUnix, queue: queue,
            loopNumber: placement.loopNumber, mostUnsent: options.sendHighWaterBytes)
        stream.setClient(self)
        if options.timeouts != ConnectionTimeouts() { makeClock().timeouts = options.timeouts }
        let hasBounds = options.receiveMinimumBytes > 1 || options.receiveMaximumBytes != .max
        if hasBounds {
            let intake = makeIntake()
            intake.minimumBytes = max(1, options.receiveMinimumBytes)
            intake.maximumBytes = max(1, options.receiveMaximumBytes)
        }
    }

    deinit {
        // The connection was never activated.
        guard phase == .setup else { return }
        Descriptors.close(descriptor)
        for completion in abandonSends() {
            queue.async { completion.call(SocketError("send", ErrorCode.brokenPipe)) }
        }
        confined.owner?.closed(nil, statistics, from: remoteEndpoint)
    }

    /// Drops everything unsent. Returns the completions to call.
    func abandonSends() -> [SendCompletion] {
        confined.outgoing.abandon() + (confined.security?.unencrypted.abandon() ?? [])
    }

    var phase: ConnectionState { confined.phase }

    var reason: CloseReason? { confined.reason }

    func makeIntake() -> ConnectionIntake {
        if let intake = confined.intake { return intake }
        let made = ConnectionIntake()
        confined.intake = made
        return made
    }

    func makeClock() -> ConnectionClock {
        if let clock = confined.clock { return clock }
        let made = ConnectionClock()
        confined.clock = made
        return made
    }

    // MARK: handlers

    /// Sets all handlers at once, so that they can share state. A handler that is nil is removed.
    public func setHandlers(_ handlers: sending ConnectionHandlers) {
        guard isCurrent else { return hop { $0.settableHandlers = handlers } }
        settableHandlers = handlers
    }

    /// Sets the handler that receives bytes, as many as have arrived, up to 64 KiB (80 under TLS).
    /// The span is the thread's memory and is valid only during the call. Without a handler nothing
    /// is received.
    public func setReceiveHandler(_ handler: sending ((Connection, RawSpan) -> Void)?) {
        // `onQueue` would allocate a block for each new connection.
        guard isCurrent else { return hop { $0.settableHandlers.receive = handler } }
        settableHandlers.receive = handler
    }

    /// Sets the handler that is called when the peer has ended its stream. The peer may still
    /// receive: send the rest, and close. Without a handler the connection then closes itself once
    /// all is sent.
    public func setEndHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.settableHandlers.end = handler }
    }

    /// Sets the handler that is called when the connection is writable again; see ``isWritable``.
    public func setWritableHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.settableHandlers.writable = handler }
    }

    /// Sets the handler that is called once, when the descriptor is closed. All handlers are
    /// released then; those that are set later, at once.
    public func setCloseHandler(_ handler: sending ((Connection, CloseReason) -> Void)?) {
        guard isCurrent else { return hop { $0.settableHandlers.close = handler } }
        settableHandlers.close = handler
    }

    /// The handlers, for methods that set them. Nothing would release them after the end.
    var settableHandlers: ConnectionHandlers {
        get { confined.handlers }
        _modify {
            if confined.isAwaited {
                fatalMisuse(
                    "a handler was set on connection '\(queue.label)', which a task has in run: "
                        + "use the methods of AsyncConnection instead")
            }
            yield &confined.handlers
            if phase == .closed, confined.itself == nil { confined.handlers = ConnectionHandlers() }
            // Without a receive handler nothing is received.
            updateReceiving()
        }
    }

    // MARK: life

    /// The connection's state. On the queue.
    public var state: ConnectionState {
        checkCurrent()
        return phase
    }

    /// Starts receiving. Set the handlers first.
    public func activate() {
        onQueue { connection in
            guard connection.phase == .setup else { return }
            connection.confined.phase = .active
            connection.confined.itself = connection
            let isPlain =
                connection.confined.security == nil && connection.confined.clock == nil
                && connection.confined.intake == nil && connection.confined.outgoing.isEmpty
            // Elsewhere a shutdown of the listener may run on the queue meanwhile.
            let owner = connection.confined.owner
            let isAlone = owner?.queue.isCurrent ?? true
            connection.setup.end()
            if isPlain && isAlone {
                connection.updateReceiving()
                owner?.activated(connection)
            } else {
                // Before the connection can close.
                owner?.activated(connection)
                // `begin` arms a timer that may fire on the queue at once, so it must run there.
                connection.hop { $0.begin() }
            }
        }
    }

    private func begin() {
        guard phase != .closed else { return }
        confined.clock?.activation = MonotonicClock.nanoseconds()
        restartTimer()
        if let security = confined.security {
            startHandshake(security)
        } else if !confined.outgoing.isEmpty {
            flush()
        }
        if phase != .closed { updateReceiving() }
    }

    /// Stops the calls of the receive handler until `resumeReceiving` was called as often.
    public func pauseReceiving() { onQueue { $0.changePauses(by: 1) } }

    /// Undoes one `pauseReceiving`.
    public func resumeReceiving() { onQueue { $0.changePauses(by: -1) } }

    func changePauses(by difference: Int32) {
        confined.pauses += difference
        if confined.pauses < 0 { endOverResume() }
        updateReceiving()
    }

    @inline(never)
    func endOverResume() -> Never {
        fatalMisuse("resumeReceiving of connection '\(queue.label)' without a pause")
    }

    /// Closes once the kernel has taken all sent bytes; under TLS, close_notify comes last, and the
    /// connection closes once the peer's kernel has them, at the latest after two more seconds.
    /// Nothing more is received. Later sends are dropped, and their completions get EPIPE.
    ///
    /// Without TLS, if bytes of the peer are left unread, the kernel resets the connection (RST),
    /// and the peer may lose your last bytes. If that matters, call ``closeOutput()``, read on, and
    /// close in the end handler. A peer that does not read delays the end until
    /// ``ConnectionTimeouts/send`` expires. Before `activate`, bytes that wait for a TLS handshake
    /// are lost. A second call does nothing; ``abort()`` ends a closing connection at once.
    public func close() { onQueue { $0.beginClose(.closed) } }

    /// Closes at once: unsent bytes are lost, and their completions get EPIPE. A TCP peer gets a
    /// reset (RST). The peer of a Unix socket reads what the kernel has taken, and then the end.
    /// A second call does nothing.
    public func abort() { onQueue { $0.tearDown(.aborted) } }

    @inline(__always)
    var isInSetup: Bool { setup.isOn }

    // MARK: the end

    func beginClose(_ why: CloseReason) {
        guard phase == .setup || phase == .active else { return }
        settleSends()
        let security = confined.security
        // Bytes that wait for a handshake can never be sent if the handshake was never started.
        let waitsInVain = isHandshaking && (phase == .setup || unsent == 0)
        if waitsInVain || confined.outgoing.isEmpty && security == nil { return tearDown(why) }
        if let error = security?.sendError { return tearDown(.failed(error)) }
        let wasInSetup = phase == .setup
        confined.phase = .closing
        confined.reason = why
        confined.isFinishing = true
        confined.itself = self
        confined.intake?.removeAll()
        if wasInSetup {
            setup.end()
            confined.owner?.activated(self)
            return hop { $0.flush() }
        }
        if isHandshaking { return updateReceiving() }
        stream.pause()
        if security != nil { flush() }
    }

    /// The kernel has taken all sent bytes.
    func drained() {
        confined.clock?.hasDrained = true
        if phase == .closing, let why = reason {
            if confined.security == nil { tearDown(why) } else { closeSecured(why) }
        } else if confined.isFinishing && phase != .closed {
            Sockets.closeOutput(descriptor)
        }
    }

    func tearDown(_ why: CloseReason, aborts: Bool = false) {
        guard phase != .closed else { return }
        settleSends()
        confined.phase = .closed
        confined.reason = why
        confined.isFinishing = true
        setup.end()
        confined.itself = self
        let abandoned = abandonSends()
        counters.unsent.set(0)
        for completion in abandoned { hop { _ in completion.call(why.error) } }
        stopTimer()
        stream.end()
        let isAborting = aborts || why == .aborted
        if isAborting { Sockets.abort(descriptor) } else { Descriptors.close(descriptor) }
        // After the current work item, which may be another handler of the connection.
        hop { connection in
            let close = connection.confined.handlers.close.take()
            connection.confined.handlers = ConnectionHandlers()
            connection.confined.itself = nil
            close?(connection, why)
            connection.confined.security = nil
            // Last, so that all close handlers have run when a listener's shutdown completes.
            connection.confined.owner.take()?.closed(
                connection, connection.statistics, from: connection.remoteEndpoint)
        }
    }

    var isOpen: Bool { phase == .active || phase == .closing }
}

/// By identity, so that a program can keep a set of its connections.
extension Connection: Hashable {
    /// Whether both are the same object.
    public static func == (one: Connection, other: Connection) -> Bool { one === other }

    /// Hashes the identity.
    /// - Parameter hasher: receives it.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
