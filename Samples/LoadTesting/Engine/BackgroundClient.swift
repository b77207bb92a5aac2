internal import RingNetwork

/// A connection that runs besides the load and is not measured; a subclass for each kind. Runs on
/// its shard's queue.
class BackgroundClient: @unchecked Sendable {
    // Safety: only the shard's queue touches the state.
    final let shard: Shard
    final let target: PreparedTarget
    final var pending: PendingConnection?
    final var connection: Connection?
    final var isOver = false

    init(shard: Shard, target: PreparedTarget) {
        self.shard = shard
        self.target = target
    }

    func close() {}

    /// Sets the connection's handlers and activates it. The close handler calls
    /// ``Shard/clientClosed()``.
    func adopt(_ connection: Connection) {}

    func connectingFailed(_ error: ConnectError) {}

    /// Makes the next connection.
    var connector: Connector { target.connector(shard.nextSource()) }

    final func connect() {
        shard.clientOpened()
        pending = connector.connect(to: target.endpoint, queue: shard.queue) { [self] result in
            pending = nil
            switch result {
            case .success(let connection) where !isOver:
                self.connection = connection
                adopt(connection)
            case .failure(let error) where !isOver: connectingFailed(error)
            default: break
            }
            if connection == nil { shard.clientClosed() }
        }
    }
}
