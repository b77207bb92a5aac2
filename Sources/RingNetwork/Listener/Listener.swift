internal import LinuxPlatform
public import RingDispatch

/// Accepts connections at one or more endpoints and hands each to a handler.
///
/// Connections are spread over the event loops, each with a queue of its own, unless
/// ``ListenerOptions/placement`` says otherwise. Accepting pauses while descriptors or memory are
/// short, or a limit of ``ListenerOptions`` is reached; it resumes when a connection closes, or
/// after a while. Clients wait in the backlog meanwhile. Handlers run on the listener's queue.
///
/// Until ``activate()``, one thread at a time may use it; then any.
public final class Listener: QueueConfined, ConnectionOwner {
    /// Runs the listener's handlers.
    public let queue: DispatchQueue
    /// The endpoints it listens on, with the ports that the kernel chose for port 0.
    public let endpoints: [Endpoint]
    let options: ListenerOptions
    let sockets: [ListeningSocket]
    let store = Confined(State())

    struct State {
        var handlers = ListenerHandlers()
        /// Itself while the listener is active, which keeps it alive.
        fileprivate var itself: Listener?
        fileprivate(set) var phase = Phase.setup
        var bucket: TokenBucket?
        /// Nothing is accepted until a token is in the bucket.
        var rateEnd: DispatchScheduledItem?
        /// Nothing is accepted for a while after a temporary error, such as a lack of descriptors.
        var pauseEnd: DispatchScheduledItem?
        var pauseMilliseconds = Listener.shortestPauseMilliseconds
        /// The connections that are not closed, without those in setup: they belong to the program.
        var open: Set<Connection> = []
        /// The number of accepted connections in setup.
        var setups = 0
        /// Open connections per peer; see `IPAddress.asPeer`.
        var peers: [IPAddress: Int] = [:]
        var tally = ListenerCounters()
        /// A descriptor in reserve, closed to accept and close clients when there is no other.
        var reserve: Int32?
        var ending: ShutdownState?
    }

    private let setup = SetupPhase()

    /// Starts listening: clients can connect from now on, and are accepted after `activate`.
    /// - Parameters:
    ///   - endpoint: resolved; port 0 lets the kernel choose one.
    ///   - options: of the listening socket and of the connections.
    ///   - target: the target of the listener's queue.
    /// - Throws: ``ListenerError``; ``EndpointError`` if an endpoint is not resolved.
    public convenience init(
        _ endpoint: Endpoint, options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        try self.init([endpoint], options: options, target: target)
    }

    /// Starts listening at several endpoints, which share the handlers and the limits.
    /// - Parameters:
    ///   - endpoints: at least one. If one fails, all are closed.
    ///   - options: of the listening sockets and of the connections.
    ///   - target: the target of the listener's queue.
    /// - Throws: ``ListenerError``; ``EndpointError`` if an endpoint is not resolved.
    public convenience init(
        _ endpoints: [Endpoint], options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        guard !endpoints.isEmpty else {
            fatalMisuse("a Listener without endpoints; pass at least one, if need be with port 0")
        }
        self.init(try endpoints.map { try ListeningSocket($0, options) }, options, target)
    }

    init(_ sockets: [ListeningSocket], _ options: ListenerOptions, _ target: DispatchQueue?) {
        options.connection.check()
        self.sockets = sockets
        self.options = options
        endpoints = sockets.map(\.endpoint)
        queue = DispatchQueue(label: "listener \(sockets[0].endpoint)", target: target)
        StreamSocket.prepareSends()
        confined.reserve = Sockets.reserve()
    }

    deinit {
        if confined.phase == .setup { release() }
    }

    /// The first of ``endpoints``.
    public var endpoint: Endpoint { endpoints[0] }

    // MARK: handlers

    /// Sets the handler that receives each connection, to set its handlers and activate it. A
    /// connection that it neither activates nor keeps is closed; without a handler, all are.
    public func setConnectionHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.settableHandlers.connection = handler }
    }

    /// Sets the handler for failures to accept: either one endpoint failed for good, while the
    /// others go on, or descriptors or memory are short, and accepting resumes when they are
    /// available. After the last endpoint the listener closes. Errors of single clients are not
    /// reported. Without a handler, failures are logged, at most one line a second.
    public func setErrorHandler(_ handler: sending ((Listener, ListenerError) -> Void)?) {
        onQueue { $0.settableHandlers.error = handler }
    }

    /// Sets the handler that is called once, when the listening sockets are closed: with nil after
    /// `close` or `shutdown`, or with the error of the last endpoint. The listener may be served by
    /// ``run(_:)``. All handlers are released then; those that are set later, at once.
    public func setCloseHandler(_ handler: sending ((Listener, ListenerError?) -> Void)?) {
        onQueue { $0.settableHandlers.close = handler }
    }

    /// The handlers, for methods that set them. Nothing would release them after the close.
    private var settableHandlers: ListenerHandlers {
        get { confined.handlers }
        _modify {
            yield &confined.handlers
            if confined.phase == .closed { confined.handlers = ListenerHandlers() }
        }
    }

    // MARK: life

    /// Starts accepting.
    public func activate() {
        onQueue { listener in
            guard listener.confined.phase == .setup else { return }
            listener.confined.phase = .active
            listener.confined.itself = listener
            listener.setup.end()
            // On the queue: the first socket's clients may arrive before the last one is started.
            listener.onQueue { if $0.confined.phase == .active { $0.beginAccepting() } }
        }
    }

    /// Stops listening: refuses new clients, resets those that wait in the backlog, and removes the
    /// files of Unix sockets that it has made. Open connections stay open.
    /// - Parameter handler: called on the listener's queue, once the listening sockets are closed:
    ///   within this call if it is made there. Each call's handler is called.
    public func close(_ handler: sending ((Listener) -> Void)? = nil) { close(for: nil, handler) }

    /// - Parameter error: that of the last endpoint; nil: the program closes it.
    func close(for error: ListenerError?, _ handler: sending ((Listener) -> Void)? = nil) {
        endSetup()
        onQueue { listener in
            listener.release()
            listener.confined.phase = .closed
            let handlers = listener.confined.handlers
            listener.confined.handlers = ListenerHandlers()
            handlers.close?(listener, error)
            handlers.endRun?()
            handler?(listener)
            // Asynchronously, because a method of the listener may be running.
            listener.queue.async { listener.confined.itself = nil }
        }
    }

    // MARK: on the queue

    /// The open connections that were activated. On the queue.
    public var connections: [Connection] {
        checkCurrent()
        return Array(confined.open)
    }

    /// The number of accepted connections. On the queue.
    public var acceptedConnections: Int {
        checkCurrent()
        return confined.tally.accepted
    }

    /// The listener's counters. On the queue: elsewhere the process ends. Another thread asks with
    /// `queue.sync`; with the trait Metrics, a task uses `ListenerMetrics`.
    public var counters: ListenerCounters {
        checkCurrent()
        var counters = confined.tally
        counters.waiting = sockets.reduce(0) { $0 + $1.waitingCount }
        return counters
    }

    var isInSetup: Bool { setup.isOn }

    /// What follows runs on the queue, as the handlers that it calls must.
    func endSetup() { if isInSetup { setup.end() } }

    private func release() {
        confined.pauseEnd?.cancel()
        confined.rateEnd?.cancel()
        for socket in sockets { socket.close() }
        if let reserve = confined.reserve { Descriptors.close(reserve) }
        confined.reserve = nil
    }
}
