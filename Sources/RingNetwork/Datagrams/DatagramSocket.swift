internal import LinuxPlatform
public import RingDispatch

/// A datagram socket: UDP, or a Unix datagram socket. udp(7), unix(7).
///
/// Handlers run on the socket's own serial queue, one at a time, and may block as long as they
/// like: what runs on other queues goes on, but not what shares the queue's target. Until
/// ``activate()``, one thread at a time may use the socket; then any. On the queue the methods take
/// effect at once, elsewhere asynchronously, in the order of the calls.
///
/// An active socket retains itself until `close`, or until its descriptor is unusable; then it
/// calls its close handler once. Other errors go to the error handler and leave the socket usable:
/// ICMP errors (a peer's port is closed), and datagrams that the kernel refuses.
public final class DatagramSocket: QueueConfined {
    /// Runs the handlers. Work that you submit to it never runs concurrently with them.
    public let queue: DispatchQueue
    /// The endpoint it is bound to, with the port that the kernel chose for port 0; nil for an
    /// unnamed Unix socket.
    public let localEndpoint: Endpoint?
    /// The peer of a connected socket; nil: the socket receives from anyone.
    public let remoteEndpoint: Endpoint?
    let options: DatagramOptions
    let descriptor: Int32
    let isConnected: Bool
    let isUnix: Bool
    /// The file of a Unix socket that this object has bound.
    private let file: UnixSocketFile?
    /// Whether the descriptor is open. Threads that set socket options hold the lock, so that the
    /// descriptor is not closed meanwhile.
    private let isOpen = Locked(true)

    let store: Confined<State>

    struct State {
        var handlers = DatagramHandlers()
        var tally = DatagramCounters()
        fileprivate(set) var phase = Phase.setup
        /// Itself while the socket is active, which keeps it alive.
        fileprivate var itself: DatagramSocket?
        var inbox: DatagramInbox?
        var readWait: ReadinessWait?
        /// Calls of `pauseReceiving` without a matching `resumeReceiving`.
        fileprivate var pauses = 0
        /// The kernel's last reported drop count.
        var seenDrops: UInt32 = 0
        /// Consecutive times that the socket was reported readable without a datagram.
        var fruitlessTurns = 0
        var receivePause: DispatchScheduledItem?
        /// The receive handler is running: datagrams it sends wait for the end of the batch.
        var isHandling = false
        let outgoing = OutgoingDatagrams()
        var sender: DatagramSender?
        var segmentLimit: SegmentLimit
        var writeWait: ReadinessWait?
        /// The kernel has no room: datagrams are queued.
        var isBlocked = false
        var sendPause: DispatchScheduledItem?
        var fullPeers: [SocketAddress: FullPeer] = [:]
        /// What waits for them, as `OutgoingDatagrams.cost`.
        var fullPeersCost = 0
        /// Errors not yet reported to the error handler.
        var failures: [DatagramFailure] = []
    }

    private let setup = SetupPhase()

    /// Binds a socket. The kernel buffers datagrams from now on; they are received after
    /// `activate`.
    /// - Parameters:
    ///   - endpoint: resolved; port 0 lets the kernel choose one. `[::]` also serves IPv4, unless
    ///     the options say otherwise.
    ///   - options: of the socket, of receiving and of sending.
    ///   - target: the target of the socket's queue.
    /// - Throws: ``DatagramSocketError``; ``EndpointError`` if an endpoint is not resolved.
    public convenience init(
        _ endpoint: Endpoint, options: DatagramOptions = DatagramOptions(),
        target: DispatchQueue? = nil
    ) throws {
        let address = try endpoint.socketAddress()
        let isWildcard = endpoint.ipAddress?.isUnspecified ?? false
        let settings = options.settings(reportsPath: isWildcard)
        do throws(SystemError) {
            let descriptor = try Datagrams.open(at: address, connectingTo: nil, settings)
            self.init(descriptor, options, target, ownsPath: true)
        } catch {
            throw DatagramSocketError(endpoint, error)
        }
    }

    /// Connects a socket to a peer: it receives only from that peer, and reports when nobody
    /// listens there.
    /// - Parameters:
    ///   - peer: resolved.
    ///   - local: the local address; nil: the kernel chooses.
    ///   - options: of the socket, of receiving and of sending.
    ///   - target: the target of the socket's queue.
    /// - Throws: ``DatagramSocketError``; ``EndpointError`` if an endpoint is not resolved.
    public convenience init(
        connectingTo peer: Endpoint, from local: Endpoint? = nil,
        options: DatagramOptions = DatagramOptions(), target: DispatchQueue? = nil
    ) throws {
        let peerAddress = try peer.socketAddress()
        let localAddress = try local?.socketAddress()
        let settings = options.settings(reportsPath: false)
        do throws(SystemError) {
            let descriptor = try Datagrams.open(
                at: localAddress, connectingTo: peerAddress, settings)
            self.init(descriptor, options, target, ownsPath: local != nil)
        } catch {
            throw DatagramSocketError(error.call == "connect" ? peer : local ?? peer, error)
        }
    }

    /// - Parameters:
    ///   - descriptor: a datagram socket, owned by this object from now on. Another kind of
    ///     descriptor ends the process.
    ///   - options: only those of receiving and of sending apply, without `combinesReceived`: the
    ///     socket's own UDP_GRO stays.
    ///   - target: the target of the socket's queue.
    public convenience init(
        adopting descriptor: Int32, options: DatagramOptions = DatagramOptions(),
        target: DispatchQueue? = nil
    ) {
        guard Datagrams.isDatagramSocket(descriptor) else {
            fatalMisuse(
                "descriptor \(descriptor) is not a datagram socket and cannot be adopted as one")
        }
        self.init(descriptor, options, target, ownsPath: false)
    }

    private init(
        _ descriptor: Int32, _ options: DatagramOptions, _ target: DispatchQueue?, ownsPath: Bool
    ) {
        options.check()
        self.descriptor = descriptor
        self.options = options
        let local = Sockets.localAddress(of: descriptor)
        let remote = Sockets.remoteAddress(of: descriptor)
        localEndpoint = local.flatMap { Endpoint($0) }
        remoteEndpoint = remote.flatMap { Endpoint($0) }
        isConnected = remote != nil
        isUnix = local?.isUnix ?? false
        file = ownsPath ? localEndpoint?.socketFile : nil
        let canSegment = options.combinesSent && Datagrams.canSegment(descriptor)
        store = Confined(State(segmentLimit: SegmentLimit(isAvailable: canSegment)))
        let name = localEndpoint ?? remoteEndpoint
        queue = DispatchQueue(
            label: "datagrams \(name.map { "\($0)" } ?? "\(descriptor)")", target: target)
    }

    deinit {
        // The socket was neither activated nor closed.
        if confined.phase == .setup { release() }
    }

    // MARK: handlers

    /// Sets all handlers at once, so that they can share state. A handler that is nil is removed.
    public func setHandlers(_ handlers: sending DatagramHandlers) {
        onQueue { $0.settableHandlers = handlers }
    }

    /// Sets the handler that receives all datagrams that have arrived. Datagrams that it sends are
    /// batched until it returns or calls ``flush()``. Without a handler nothing is received.
    public func setReceiveHandler(
        _ handler: sending ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)?
    ) {
        onQueue { $0.settableHandlers.receive = handler }
    }

    /// Sets the handler that receives errors, from `activate` on. The socket stays usable. Without
    /// a handler, errors are dropped; ``counters`` still have the datagrams that were not sent.
    public func setErrorHandler(_ handler: sending ((DatagramSocket, DatagramFailure) -> Void)?) {
        onQueue { $0.settableHandlers.error = handler }
    }

    /// Sets the handler that is called when the socket is writable again; see ``isWritable``.
    public func setWritableHandler(_ handler: sending ((DatagramSocket) -> Void)?) {
        onQueue { $0.settableHandlers.writable = handler }
    }

    /// Sets the handler that is called once, when the descriptor is closed: with nil after `close`,
    /// or with the error that made the descriptor unusable. All handlers are released then; those
    /// that are set later, at once.
    public func setCloseHandler(_ handler: sending ((DatagramSocket, SocketError?) -> Void)?) {
        onQueue { $0.settableHandlers.close = handler }
    }

    /// The handlers, for methods that set them. Nothing would release them after the end.
    private var settableHandlers: DatagramHandlers {
        get { confined.handlers }
        _modify {
            yield &confined.handlers
            if confined.phase == .closed, confined.itself == nil {
                confined.handlers = DatagramHandlers()
            }
            // Without a receive handler nothing is received.
            updateReceiving()
        }
    }

    // MARK: life

    /// The socket's counters. On the queue: elsewhere the process ends. Another thread asks with
    /// `queue.sync`; with the trait Metrics, a task uses `DatagramMetrics`.
    public var counters: DatagramCounters {
        checkCurrent()
        return confined.tally
    }

    /// Starts receiving, and the reports of errors. Set the handlers first. Call it even if you
    /// only send: from then on, all threads may use the socket.
    public func activate() {
        onQueue { socket in
            guard socket.confined.phase == .setup else { return }
            socket.confined.phase = .active
            socket.confined.itself = socket
            socket.setup.end()
            // Now on the queue: its other items may use the state from here on.
            socket.onQueue { $0.begin() }
        }
    }

    private func begin() {
        guard confined.phase == .active else { return }
        updateReceiving()
        if confined.isBlocked { waitUntilWritable() }
        for peer in confined.fullPeers.values { waitUntilWritable(peer) }
        if !confined.failures.isEmpty { reportFailures() }
    }

    /// Stops the calls of the receive handler until `resumeReceiving` was called as often. The
    /// kernel buffers datagrams while it has room, and drops the rest.
    public func pauseReceiving() { onQueue { $0.changePauses(by: 1) } }

    /// Undoes one `pauseReceiving`.
    public func resumeReceiving() { onQueue { $0.changePauses(by: -1) } }

    private func changePauses(by difference: Int) {
        confined.pauses += difference
        if confined.pauses < 0 {
            fatalMisuse("resumeReceiving of datagram socket '\(queue.label)' without a pause")
        }
        updateReceiving()
    }

    /// Closes. Passes to the kernel what it takes at once of the unsent datagrams, then drops and
    /// counts the others; those not yet received are lost. Datagrams sent later are counted as
    /// dropped. A second call does nothing.
    public func close() { onQueue { $0.tearDown(nil) } }

    // MARK: on the queue

    var isInSetup: Bool { setup.isOn }

    /// Whether the socket receives now.
    var isReceiving: Bool {
        confined.phase == .active && confined.pauses == 0 && confined.handlers.receive != nil
    }

    var isOpenForSending: Bool { confined.phase == .active || confined.phase == .setup }

    /// The receive buffers, made at first use.
    func makeInbox() -> DatagramInbox {
        if let inbox = confined.inbox { return inbox }
        let made = DatagramInbox(
            options, isCombining: Datagrams.isCombining(descriptor), isUnix: isUnix)
        confined.inbox = made
        return made
    }

    /// Calls `body` with the descriptor, which stays open meanwhile. From any thread.
    func withDescriptor(_ body: (Int32) -> Int32) -> Int32 {
        isOpen.withLock { isOpen in isOpen ? body(descriptor) : ErrorCode.badDescriptor }
    }

    // MARK: the end

    func tearDown(_ why: SocketError?) {
        guard confined.phase == .setup || confined.phase == .active else { return }
        if why == nil && !confined.outgoing.isEmpty { _ = sendPassingFullPeers() }
        for peer in confined.fullPeers.values {
            if why == nil { _ = sendAll(peer.outgoing) }
            confined.tally.datagramsDropped &+= UInt64(peer.outgoing.count)
            peer.pause?.cancel()
        }
        confined.fullPeers = [:]
        confined.fullPeersCost = 0
        confined.phase = .closed
        setup.end()
        confined.itself = self
        confined.tally.datagramsDropped &+= UInt64(confined.outgoing.count)
        confined.outgoing.removeFirst(confined.outgoing.count)
        confined.receivePause?.cancel()
        confined.sendPause?.cancel()
        confined.readWait?.cancel()
        confined.writeWait?.cancel()
        release()
        // After the current work item, which may be another handler of the socket.
        hop { socket in
            let close = socket.confined.handlers.close
            socket.confined.handlers = DatagramHandlers()
            socket.confined.readWait = nil
            socket.confined.writeWait = nil
            socket.confined.inbox = nil
            socket.confined.sender = nil
            socket.confined.itself = nil
            close?(socket, why)
        }
    }

    private func release() {
        isOpen.withLock { isOpen in
            isOpen = false
            Descriptors.close(descriptor)
        }
        file?.remove()
    }
}

extension DatagramOptions {
    fileprivate func settings(reportsPath: Bool) -> DatagramSettings {
        var settings = DatagramSettings()
        settings.reusesAddress = reusesAddress
        settings.reusesPort = reusesPort
        settings.isIPv6Only = isIPv6Only
        settings.unixMode = unixSocketMode
        settings.replacesStaleUnixSocket = replacesStaleUnixSocket
        settings.allowsBroadcast = allowsBroadcast
        settings.receiveBufferBytes = receiveBufferBytes.map { Int32(clamping: $0) }
        settings.sendBufferBytes = sendBufferBytes.map { Int32(clamping: $0) }
        settings.reportsPath = reportsLocalAddress ?? reportsPath
        settings.combinesReceived = combinesReceived
        settings.prepare = prepare
        return settings
    }

    fileprivate func check() {
        guard 1...1024 ~= receiveBatch, batchesInARow > 0 else {
            fatalMisuse(
                "a datagram socket receives batches of 1 to 1024, one or more in a row; the "
                    + "options say \(receiveBatch) and \(batchesInARow)")
        }
        guard 1...DatagramReceiver.longestBytes ~= maximumDatagramBytes, sendQueueBytes >= 0 else {
            fatalMisuse(
                "a datagram socket's maximumDatagramBytes is from 1 to "
                    + "\(DatagramReceiver.longestBytes), and its sendQueueBytes not negative; the "
                    + "options say \(maximumDatagramBytes) and \(sendQueueBytes)")
        }
    }
}
