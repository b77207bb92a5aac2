internal import LinuxPlatform
public import RingDispatch

/// A socket for datagrams: UDP, or a Unix socket for datagrams. udp(7), unix(7).
///
/// Handlers run on the socket's own serial queue, one after the other, and may block as long as
/// they like: other sockets go on. Methods may be called from any thread; on the queue they take
/// effect at once, elsewhere a little later, in the order of the calls.
///
/// An active socket keeps itself alive until `close`, or until its descriptor is found broken; then
/// it calls its close handler once. An answer of a peer's machine that nobody listens there, and
/// datagrams that the kernel refuses, go to the error handler and change nothing else.
public final class DatagramSocket: QueueConfined, @unchecked Sendable {
    // Safety: what is not immutable belongs to `queue`; before `activate`, to whoever made it.
    public let queue: DispatchQueue
    /// Where it is bound, with the port that the kernel chose, if it was asked to; nil for a Unix
    /// socket without a name.
    public let localEndpoint: Endpoint?
    /// Whom it is connected to; nil: nobody, and it receives from everyone.
    public let remoteEndpoint: Endpoint?
    let options: DatagramOptions
    let descriptor: Int32
    let isConnected: Bool
    private let isUnix: Bool
    /// The file of a Unix socket that was bound here.
    private let file: UnixSocketFile?
    /// Whether the descriptor is open: those who set options from other threads hold the lock
    /// meanwhile.
    private let isOpen = Locked(true)

    @exclusivity(unchecked) var handlers = DatagramHandlers()
    @exclusivity(unchecked) var tally = DatagramCounters()
    @exclusivity(unchecked) private(set) var phase = Phase.setup
    private let setup = SetupPhase()
    /// While it is active: itself.
    @exclusivity(unchecked) private var life: DatagramSocket?
    @exclusivity(unchecked) private var reason: SocketError?
    @exclusivity(unchecked) private var isForgetting = false

    // MARK: receiving
    @exclusivity(unchecked) var inbox: DatagramInbox?
    @exclusivity(unchecked) var readWatch: ReadinessRegistration?
    /// Calls of `pauseReceiving` that were not taken back.
    @exclusivity(unchecked) private var pauses = 0
    /// The kernel's count of drops that was seen last.
    @exclusivity(unchecked) var seenDrops: UInt32 = 0
    /// Times in a row that the socket was said to be ready, and nothing came of it.
    @exclusivity(unchecked) var fruitlessTurns = 0
    @exclusivity(unchecked) var receivePause: DispatchScheduledItem?
    /// Whether the receive handler runs: what it sends is sent together.
    @exclusivity(unchecked) var isHandling = false

    // MARK: sending
    @exclusivity(unchecked) let outgoing = OutgoingDatagrams()
    @exclusivity(unchecked) var sender: DatagramSender?
    @exclusivity(unchecked) var segmentLimit: SegmentLimit
    @exclusivity(unchecked) var writeWatch: ReadinessRegistration?
    /// The kernel takes nothing: what is to be sent waits.
    @exclusivity(unchecked) var isBlocked = false
    @exclusivity(unchecked) var fruitlessFlushes = 0
    @exclusivity(unchecked) var sendPause: DispatchScheduledItem?
    /// What the error handler has not been told.
    @exclusivity(unchecked) var failures: [DatagramFailure] = []

    enum Phase {
        case setup
        case active
        case closing
        case closed
    }

    /// Binds a socket: from now on the kernel keeps what comes for it, which is received after
    /// `activate`.
    /// - Parameters:
    ///   - endpoint: resolved; port 0: a free one. `[::]` serves IPv4, too, unless the options say
    ///     otherwise.
    ///   - target: the target of the socket's queue.
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

    /// Connects a socket to a peer: it receives from that one only, and is told when nobody listens
    /// there.
    /// - Parameters:
    ///   - peer: resolved.
    ///   - local: where to bind it; nil: wherever the kernel likes.
    ///   - target: the target of the socket's queue.
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
            throw DatagramSocketError(peer, error)
        }
    }

    /// - Parameters:
    ///   - descriptor: a socket for datagrams, which belongs to this object from here on. Of the
    ///     options only those for receiving and sending count.
    ///   - target: the target of the socket's queue.
    public convenience init(
        adopting descriptor: Int32, options: DatagramOptions = DatagramOptions(),
        target: DispatchQueue? = nil
    ) {
        guard Datagrams.isDatagramSocket(descriptor) else {
            fatalMisuse(
                "descriptor \(descriptor) is no datagram socket and cannot be adopted as one")
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
        if ownsPath, case .unix(let address) = localEndpoint, !address.isAbstract {
            file = UnixSocketFile(address.bytes)
        } else {
            file = nil
        }
        let canSegment = options.combinesSent && Datagrams.canSegment(descriptor)
        segmentLimit = SegmentLimit(isAvailable: canSegment)
        let name = localEndpoint ?? remoteEndpoint
        queue = DispatchQueue(
            label: "datagrams \(name.map { "\($0)" } ?? "\(descriptor)")", target: target)
    }

    deinit {
        // Never activated, and never closed.
        if phase == .setup { release() }
    }

    // MARK: handlers

    /// Called with datagrams that came, as many as there are at once. What the handler sends is
    /// sent together, when it has returned or calls ``flush()``. Without a handler nothing is
    /// received.
    public func setReceiveHandler(
        _ handler: ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)?
    ) {
        onQueue {
            $0.handlers.receive = handler
            $0.updateReceiving()
        }
    }

    /// Called with each error. The socket goes on.
    public func setErrorHandler(_ handler: ((DatagramSocket, DatagramFailure) -> Void)?) {
        onQueue { $0.handlers.error = handler }
    }

    /// Called when the socket is writable again; see ``isWritable``.
    public func setWritableHandler(_ handler: ((DatagramSocket) -> Void)?) {
        onQueue { $0.handlers.writable = handler }
    }

    /// Called once, when the descriptor is closed: with nil after `close`, or with why the
    /// descriptor could not be used any more. All handlers are let go of with it.
    public func setCloseHandler(_ handler: ((DatagramSocket, SocketError?) -> Void)?) {
        onQueue { $0.handlers.close = handler }
    }

    // MARK: life

    /// What the socket has done so far. On the queue.
    public var counters: DatagramCounters { tally }

    /// Begins to receive. Set the handlers before.
    public func activate() {
        onQueue { socket in
            guard socket.phase == .setup else { return }
            socket.phase = .active
            socket.life = socket
            socket.setup.end()
            socket.updateReceiving()
            if socket.isBlocked { socket.waitUntilWritable() }
            if !socket.failures.isEmpty { socket.tellFailures() }
        }
    }

    /// No further call of the receive handler, until `resumeReceiving` was called as often. The
    /// kernel keeps what comes while it has room, and drops the rest.
    public func pauseReceiving() {
        onQueue {
            $0.pauses += 1
            $0.updateReceiving()
        }
    }

    /// Takes one `pauseReceiving` back.
    public func resumeReceiving() {
        onQueue { socket in
            guard socket.pauses > 0 else {
                fatalMisuse(
                    "resumeReceiving of datagram socket '\(socket.queue.label)' without a pause")
            }
            socket.pauses -= 1
            socket.updateReceiving()
        }
    }

    /// Closes. What the kernel has not taken is dropped; what it has not handed over is lost.
    public func close() { onQueue { $0.tearDown(nil) } }

    // MARK: on the queue

    var isInSetup: Bool { setup.isOn }

    /// Whether datagrams are to be received now.
    var isReceiving: Bool { phase == .active && pauses == 0 && handlers.receive != nil }

    var isOpenForSending: Bool { phase == .active || phase == .setup }

    /// The memory for what comes, made at first use.
    func makeInbox() -> DatagramInbox {
        if let inbox { return inbox }
        let made = DatagramInbox(
            options, isCombining: Datagrams.isCombining(descriptor), isUnix: isUnix)
        inbox = made
        return made
    }

    /// Calls with the descriptor, which nobody closes meanwhile; from any thread.
    func withDescriptor(_ body: (Int32) -> Int32) -> Int32 {
        isOpen.withLock { isOpen in isOpen ? body(descriptor) : ErrorCode.badDescriptor }
    }

    // MARK: the end

    func tearDown(_ why: SocketError?) {
        guard phase == .setup || phase == .active else { return }
        if why == nil { flush() }
        phase = .closing
        setup.end()
        life = self
        reason = why
        tally.datagramsDropped &+= UInt64(outgoing.count)
        outgoing.removeFirst(outgoing.count)
        receivePause?.cancel()
        sendPause?.cancel()
        readWatch?.cancel()
        writeWatch?.cancel()
        finishIfQuiet()
    }

    /// Closes the descriptor once no watch is out on it, and its loop has forgotten it.
    func finishIfQuiet() {
        guard phase == .closing, !isForgetting else { return }
        if readWatch?.isWaiting ?? false || writeWatch?.isWaiting ?? false { return }
        isForgetting = true
        if let readWatch { readWatch.forget { [self] in finish() } } else { finish() }
    }

    private func finish() {
        phase = .closed
        release()
        // Behind what runs now, which may be one of the other handlers.
        hop { socket in
            let close = socket.handlers.close
            socket.handlers = DatagramHandlers()
            socket.readWatch = nil
            socket.writeWatch = nil
            socket.inbox = nil
            socket.sender = nil
            socket.life = nil
            close?(socket, socket.reason)
        }
    }

    private func release() {
        isOpen.withLock { isOpen in
            isOpen = false
            Sockets.close(descriptor)
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
        settings.allowsBroadcast = allowsBroadcast
        settings.receiveBufferBytes = receiveBufferBytes.map { Int32(clamping: $0) }
        settings.sendBufferBytes = sendBufferBytes.map { Int32(clamping: $0) }
        settings.reportsPath = reportsLocalAddress ?? reportsPath
        settings.combinesReceived = combinesReceived
        settings.prepare = prepareSocket
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
