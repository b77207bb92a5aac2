public import RingDispatch

/// Makes connections to servers.
///
/// A host's name is looked up off the event loops, and its addresses are tried as RFC 8305 (Happy
/// Eyeballs) wants it: one after the other, each a quarter of a second after the one before or as
/// soon as that one has failed, until one is connected. The others are closed then. No thread waits
/// meanwhile.
public final class Connector: Sendable {
    /// One with all options as they are by default.
    public static let shared = Connector()

    public let options: ConnectorOptions

    public init(options: ConnectorOptions = ConnectorOptions()) {
        self.options = options
    }

    /// Connects, and submits `completion` to `queue`, once in any case.
    ///
    /// - Parameter completion: given a connection that is not activated, which is closed if it is
    ///   let go of like that: set its handlers and activate it; or what went wrong.
    /// - Returns: what it can be cancelled with. It goes on without it, too.
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

    /// Connects. Cancelling the task cancels it.
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
