internal import RingNetwork

/// A connection beside the load that is no part of the measurement: a subclass for each kind.
/// Confined to its shard's queue.
class BackgroundClient: @unchecked Sendable {
    // Safety: used on the shard's queue only.
    final let shard: Shard
    final let target: PreparedTarget
    final var connection: Connection?
    final var isOver = false

    init(shard: Shard, target: PreparedTarget) {
        self.shard = shard
        self.target = target
    }

    func start() {}

    func close() {}

    /// Sets the connection's handlers and activates it. The close handler calls
    /// ``Shard/clientClosed()``.
    func adopt(_ connection: Connection) {}

    func connectingFailed(_ error: ConnectError) {}

    final func connect() {
        shard.clientOpened()
        target.connector(shard.nextSource()).connect(to: target.endpoint, queue: shard.queue) {
            [self] result in
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
