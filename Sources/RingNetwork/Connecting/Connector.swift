public import RingDispatch

/// Connects to servers.
///
/// The resolver runs off the event loops. The addresses are tried as in RFC 8305 (Happy Eyeballs):
/// in order, each a quarter of a second after the previous one, or as soon as that one fails, until
/// one connects; then the other attempts are closed. No thread blocks meanwhile.
public final class Connector: Sendable {
    /// A connector with the default options.
    public static let shared = Connector()

    /// The options of all connections that it makes.
    public let options: ConnectorOptions

    /// Creates a connector. It may be used from any thread, for any number of connections.
    public init(options: ConnectorOptions = ConnectorOptions()) {
        options.connection.check()
        self.options = options
    }

    /// Connects, and submits `completion` to `queue`, exactly once.
    ///
    /// - Parameters:
    ///   - endpoint: an address, a Unix socket, or a name to resolve first.
    ///   - queue: runs the completion, not the connection's handlers.
    ///   - completion: receives the error, or a connection to set handlers on and activate.
    ///     Releasing the connection without activating it closes it.
    /// - Returns: a handle that can cancel the attempt. It need not be kept.
    @discardableResult
    public func connect(
        to endpoint: Endpoint, queue: DispatchQueue,
        completion: @escaping @Sendable (Result<Connection, ConnectError>) -> Void
    ) -> PendingConnection {
        let pending = PendingConnection(to: endpoint, options) { result in
            queue.async { completion(result) }
        }
        pending.start()
        return pending
    }

    /// Connects, with a queue and an event loop that other connections use: of a proxy, both
    /// connections of a pair. Their handlers run one at a time, so they can share data without
    /// locks, and what one receives and the other sends stays on one thread.
    ///
    /// A handler that blocks delays all connections of the queue. The placement takes precedence
    /// over ``ConnectorOptions/placement``.
    /// - Parameters:
    ///   - endpoint: an address, a Unix socket, or a name to resolve first.
    ///   - placement: that of an existing connection (``Connection/placement``), for example.
    ///   - completion: called once, on the placement's queue, as above.
    @discardableResult
    public func connect(
        to endpoint: Endpoint, on placement: ConnectionPlacement,
        completion: @escaping @Sendable (Result<Connection, ConnectError>) -> Void
    ) -> PendingConnection {
        var options = options
        options.placement = placement
        return Connector(options: options).connect(
            to: endpoint, queue: placement.queue, completion: completion)
    }

    /// Connects. Cancelling the task cancels the attempt.
    ///
    /// - Returns: a connection that is not activated: set its handlers and activate it.
    /// - Throws: ``ConnectError``; `CancellationError` if the task is cancelled.
    public func connect(to endpoint: Endpoint) async throws -> Connection {
        let mailbox = Mailbox<Result<Connection, ConnectError>>()
        let pending = PendingConnection(to: endpoint, options) { result in
            mailbox.post { $0 = result }
        }
        let result = await withTaskCancellationHandler {
            pending.start()
            return await mailbox.nextUninterrupted()
        } onCancel: {
            pending.cancel()
        }
        guard let result else { fatalError("unreachable: an attempt has no result") }
        if case .failure(let error) = result, case .cancelled = error.reason {
            throw CancellationError()
        }
        return try result.get()
    }
}
