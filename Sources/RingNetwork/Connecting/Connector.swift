public import RingDispatch

/// Connects to servers.
///
/// The resolver runs off the event loops. The addresses are tried as in RFC 8305 (Happy Eyeballs):
/// in order, each a quarter of a second after the previous one, or as soon as that one fails, until
/// one connects; then the other attempts are closed. No thread blocks meanwhile.
public final class Connector: Sendable {
    /// A connector with the default options.
    public static let shared = Connector()

    public let options: ConnectorOptions

    public init(options: ConnectorOptions = ConnectorOptions()) {
        self.options = options
    }

    /// Connects, and submits `completion` to `queue`, exactly once.
    ///
    /// - Parameter completion: receives the error, or a connection to set handlers on and activate.
    ///   Releasing the connection without activating it closes it.
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

    /// Connects. Cancelling the task cancels the attempt.
    ///
    /// - Returns: a connection that is not activated: set its handlers and activate it.
    public func connect(to endpoint: Endpoint) async throws(ConnectError) -> Connection {
        let promise = Promise<Result<Connection, ConnectError>>()
        let pending = PendingConnection(to: endpoint, options) { promise.fulfil($0) }
        let result = await withTaskCancellationHandler {
            pending.start()
            return await promise.value
        } onCancel: {
            pending.cancel()
        }
        return try result.get()
    }
}
