internal import LinuxPlatform
public import RingDispatch

/// Accepts connections at one or more endpoints and hands each to a handler.
///
/// Connections are spread over the loops. When descriptors or memory run out, or a limit of
/// ``ListenerOptions`` is reached, accepting pauses, and goes on when a connection closes or after
/// a while; clients wait in the kernel meanwhile. The handlers run on the listener's queue.
public final class Listener: QueueConfined, @unchecked Sendable {
    // Safety: what is not immutable belongs to `queue`; before `activate`, to whoever made it.
    public let queue: DispatchQueue
    /// Where it listens: with the ports that the kernel chose, where it was asked to choose.
    public let endpoints: [Endpoint]
    let options: ListenerOptions
    let sockets: [ListeningSocket]
    @exclusivity(unchecked) var handlers = ListenerHandlers()
    /// While it is active: itself.
    @exclusivity(unchecked) private var life: Listener?
    @exclusivity(unchecked) private(set) var phase = Phase.setup
    private let setup = SetupPhase()
    @exclusivity(unchecked) var accepting = AcceptingState()
    @exclusivity(unchecked) var open = OpenConnections()
    @exclusivity(unchecked) var peers = PeerCounts()
    @exclusivity(unchecked) var tally = ListenerCounters()
    /// A descriptor that is given up when there is no other, so that a client can be told.
    @exclusivity(unchecked) var reserve: Int32?
    @exclusivity(unchecked) var ending: ShutdownState?

    enum Phase {
        case setup
        case active
        case closing
        case closed
    }

    /// Begins to listen: clients may connect from now on, and are accepted after `activate`.
    /// - Parameters:
    ///   - endpoint: resolved; port 0: a free one.
    ///   - target: the target of the listener's queue.
    public convenience init(
        _ endpoint: Endpoint, options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        try self.init([endpoint], options: options, target: target)
    }

    /// Begins to listen at several endpoints, whose connections share the handler and the limits.
    /// - Parameter endpoints: one at least. When one fails, none is listened at.
    public convenience init(
        _ endpoints: [Endpoint], options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        guard !endpoints.isEmpty else { fatalMisuse("a Listener without endpoints") }
        var sockets: [ListeningSocket] = []
        do {
            for endpoint in endpoints {
                sockets.append(try ListeningSocket(endpoint, options))
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        self.init(sockets, options, target)
    }

    init(_ sockets: [ListeningSocket], _ options: ListenerOptions, _ target: DispatchQueue?) {
        self.sockets = sockets
        self.options = options
        endpoints = sockets.map(\.endpoint)
        queue = DispatchQueue(label: "listener \(sockets[0].endpoint)", target: target)
        reserve = Sockets.reserve()
    }

    deinit {
        if phase == .setup { release() }
    }

    /// The first of ``endpoints``.
    public var endpoint: Endpoint { endpoints[0] }

    // MARK: handlers

    /// Called with each connection: set its handlers and activate it. Without a handler connections
    /// are closed.
    public func setConnectionHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.handlers.connection = handler }
    }

    /// Called when accepting at one of the endpoints has failed: for good, while the others go on,
    /// or for lack of descriptors or memory, after which it goes on everywhere when there are some
    /// again. Not for errors of single clients.
    public func setErrorHandler(_ handler: ((Listener, ListenerError) -> Void)?) {
        onQueue { $0.handlers.error = handler }
    }

    // MARK: life

    /// Begins to accept.
    public func activate() {
        onQueue { listener in
            guard listener.phase == .setup else { return }
            listener.phase = .active
            listener.life = listener
            listener.setup.end()
            listener.beginAccepting()
        }
    }

    /// Stops listening: new clients are refused; open connections stay open.
    /// - Parameter handler: called once the listening sockets are closed.
    public func close(_ handler: ((Listener) -> Void)? = nil) {
        onQueue { listener in
            let before = listener.handlers.close
            listener.handlers.close = { listener in
                before?(listener)
                handler?(listener)
            }
            switch listener.phase {
            case .setup:
                listener.setup.end()
                listener.release()
                listener.finish()
            case .closed:
                listener.finish()
            case .active:
                listener.phase = .closing
                listener.cancelPauses()
                for socket in listener.sockets { socket.close() }
                listener.finishIfClosed()
            case .closing:
                break
            }
        }
    }

    // MARK: on the queue

    /// Connections that are open. On the queue.
    public var connections: [Connection] { open.all }

    /// How many connections were accepted. On the queue.
    public var acceptedConnections: Int { tally.accepted }

    /// What it has done so far. On the queue.
    public var counters: ListenerCounters {
        var counters = tally
        counters.waiting = sockets.reduce(0) { $0 + $1.waitingCount }
        return counters
    }

    var isInSetup: Bool { setup.isOn }

    /// One of its sockets is closed.
    func finishIfClosed() {
        guard phase == .closing, sockets.allSatisfy(\.isClosed) else { return }
        release()
        finish()
    }

    private func release() {
        for socket in sockets { socket.close() }
        if let reserve { Sockets.close(reserve) }
        reserve = nil
    }

    private func finish() {
        phase = .closed
        let handler = handlers.close
        handlers = ListenerHandlers()
        handler?(self)
        // Later, because one of its own functions may be running.
        queue.async { [self] in life = nil }
    }
}
