internal import Ring
public import RingDispatch
internal import Synchronization
#if TLS
internal import RingTLS
#endif

/// Accepts connections at an endpoint and hands each to a handler.
///
/// Connections are spread over the lanes. When descriptors or memory run out, or the limit of
/// connections is reached, accepting pauses, and goes on when a connection closes or after a while;
/// clients wait meanwhile. The handlers run on the listener's queue.
public final class Listener: StreamAcceptorClient, @unchecked Sendable {
    // Safety: what is not immutable belongs to `queue`; before `activate`, to whoever made it.
    public let queue: DispatchQueue
    /// Where it listens: with the port that the kernel chose, if it was asked to choose.
    public let endpoint: Endpoint
    private let options: ListenerOptions
    private let descriptor: Int32
    private var acceptor: StreamAcceptor?
    private var connectionHandler: ((Connection) -> Void)?
    private var stopHandler: ((Listener) -> Void)?
    /// While it is active: itself.
    private var life: Listener?
    private var phase = Phase.setup
    /// Nobody but its maker knows of it. Cleared (releasing) by the maker, read (acquiring) by all.
    private let isInSetup = Atomic<Bool>(true)
    private var isPaused = false
    private var pauseMilliseconds = Listener.shortestPauseMilliseconds
    private var pauseEnd: DispatchScheduledItem?
    private var isAtLimit = false
    /// Accepted beyond the limit, before accepting had stopped: they wait for their turn.
    private var waiting: [Int32] = []
    /// Connections that are open, by their object.
    private var open: [ObjectIdentifier: Connection] = [:]
    private var acceptedCount = 0
    /// A descriptor that is given up when there is no other, so that a client can be told.
    private var reserve: Int32?

    private enum Phase {
        case setup
        case active
        case stopping
        case stopped
    }

    /// The wait after the first accept that failed, doubled with each further one.
    private static let shortestPauseMilliseconds = 10
    private static let longestPauseMilliseconds = 1000

    /// Begins to listen: clients may connect from now on, and are accepted after `activate`.
    /// - Parameters:
    ///   - endpoint: resolved; port 0: a free one.
    ///   - queue: the target of the listener's queue.
    public init(
        _ endpoint: Endpoint, options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        var settings = ListeningSettings()
        if let backlog = options.backlog { settings.backlog = Int32(clamping: backlog) }
        settings.reusesAddress = options.reusesAddress
        settings.reusesPort = options.reusesPort
        settings.isIPv6Only = options.isIPv6Only
        settings.prepare = options.prepareSocket
        let address = try endpoint.socketAddress()
        do throws(KernelError) {
            descriptor = try Sockets.listen(at: address, settings)
        } catch {
            throw ListenerError(endpoint, error)
        }
        self.endpoint = Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) } ?? endpoint
        self.options = options
        queue = DispatchQueue(label: "listener \(self.endpoint)", target: target)
        reserve = Sockets.reserve()
    }

    deinit {
        if phase == .setup { release() }
    }

    /// Called with each connection: set its handlers and activate it. Without a handler connections
    /// are closed.
    public func setConnectionHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.connectionHandler = handler }
    }

    /// Begins to accept.
    public func activate() {
        onQueue { listener in
            guard listener.phase == .setup else { return }
            listener.phase = .active
            listener.life = listener
            listener.isInSetup.store(false, ordering: .releasing)
            let acceptor = StreamAcceptor(
                descriptor: listener.descriptor, queue: listener.queue, client: listener)
            listener.acceptor = acceptor
            acceptor.start()
        }
    }

    /// Stops listening: clients are refused from now on; connections that are open stay.
    /// - Parameter handler: called once the socket is closed.
    public func stop(_ handler: ((Listener) -> Void)? = nil) {
        onQueue { listener in
            let before = listener.stopHandler
            listener.stopHandler = { listener in
                before?(listener)
                handler?(listener)
            }
            switch listener.phase {
            case .setup, .stopped:
                if listener.phase == .setup { listener.release() }
                listener.finish()
            case .active:
                listener.phase = .stopping
                listener.pauseEnd?.cancel()
                if listener.acceptor?.isRunning ?? false {
                    listener.acceptor?.stop()
                } else {
                    listener.release()
                    listener.finish()
                }
            case .stopping:
                break
            }
        }
    }

    /// Connections that are open. On the queue.
    public var connections: [Connection] { Array(open.values) }

    /// How many connections were accepted. On the queue.
    public var acceptedConnections: Int { acceptedCount }

    // MARK: StreamAcceptorClient

    package func accepted(_ descriptor: Int32) {
        pauseMilliseconds = Listener.shortestPauseMilliseconds
        guard phase == .active else { return Sockets.close(descriptor) }
        guard open.count < options.connectionLimit else { return waiting.append(descriptor) }
        begin(descriptor)
        if open.count >= options.connectionLimit && !isAtLimit {
            isAtLimit = true
            acceptor?.stop()
        }
    }

    private func begin(_ descriptor: Int32) {
        acceptedCount += 1
        if options.sendsAtOnce { Sockets.sendAtOnce(descriptor) }
        let connection = Connection(
            adopting: descriptor, target: options.connectionTarget, options: options.connection)
        #if TLS
        if let tls = options.tls {
            do { try connection.secure(with: tls.current) } catch {
                // Its descriptor is closed with it.
                return Diagnostics.log("a connection to \(endpoint) is dropped: \(error)")
            }
        }
        #endif
        connection.owner = self
        open[ObjectIdentifier(connection)] = connection
        connectionHandler?(connection)
        if connectionHandler == nil { connection.close() }
    }

    package func acceptingEnded(_ result: Int32) {
        if phase == .stopping {
            release()
            finish()
            return
        }
        guard phase == .active, !isAtLimit else { return }
        if ErrorCode.isDescriptorShortage(-result) { turnAway() }
        pause()
    }

    // MARK: on the queue

    private func onQueue(_ body: @escaping (Listener) -> Void) {
        if queue.isCurrent || isInSetup.load(ordering: .acquiring) {
            body(self)
        } else {
            let task = ListenerTask(body: body)
            queue.async { task.body(self) }
        }
    }

    /// A connection's descriptor is closed. From any queue.
    func closed(_ connection: Connection) {
        queue.async { [self] in
            open[ObjectIdentifier(connection)] = nil
            guard phase == .active else { return }
            while open.count < options.connectionLimit, !waiting.isEmpty {
                begin(waiting.removeFirst())
            }
            if isAtLimit && open.count < options.connectionLimit {
                isAtLimit = false
                acceptor?.start()
            } else if isPaused {
                endPause()
            }
        }
    }

    /// Descriptors ran out: clients that wait are told so, with the one kept for that, instead of
    /// left hanging.
    private func turnAway() {
        guard let kept = reserve else { return }
        Sockets.close(kept)
        for _ in 0..<Listener.mostTurnedAway {
            let descriptor = Sockets.accept(descriptor)
            if descriptor < 0 { break }
            Sockets.close(descriptor)
        }
        reserve = Sockets.reserve()
    }

    private static let mostTurnedAway = 64

    private func pause() {
        guard !isPaused else { return }
        isPaused = true
        pauseEnd = queue.scheduleAfter(
            deadline: .now() + .milliseconds(pauseMilliseconds)
        ) { [weak self] in self?.endPause() }
        pauseMilliseconds = min(2 * pauseMilliseconds, Listener.longestPauseMilliseconds)
    }

    private func endPause() {
        guard isPaused else { return }
        isPaused = false
        pauseEnd?.cancel()
        pauseEnd = nil
        if reserve == nil { reserve = Sockets.reserve() }
        if phase == .active && !isAtLimit { acceptor?.start() }
    }

    private func release() {
        Sockets.close(descriptor)
        if let reserve { Sockets.close(reserve) }
        reserve = nil
        for descriptor in waiting { Sockets.close(descriptor) }
        waiting = []
        if case .unix(let address) = endpoint, !address.isAbstract { Sockets.unlink(address.bytes) }
    }

    private func finish() {
        phase = .stopped
        let handler = stopHandler
        stopHandler = nil
        connectionHandler = nil
        acceptor = nil
        handler?(self)
        life = nil
    }
}

/// A call that goes to a listener's queue.
private struct ListenerTask: @unchecked Sendable {
    // Safety: runs on the queue, once.
    let body: (Listener) -> Void
}
