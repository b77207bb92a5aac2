/// A connection of the load, and its successors if connections are replaced. Runs on its shard's
/// queue.
class LoadClient: @unchecked Sendable {
    // Safety: only the shard's queue touches the state.
    struct Message {
        let due: UInt64
        let sent: UInt64
    }

    /// A reference cycle. The shard breaks it once all clients are closed.
    final let shard: Shard
    final let target: PreparedTarget
    /// True while the pacer's list of free clients contains the client.
    final var isListed = false
    /// True once the client has failed or was closed for good.
    @exclusivity(unchecked) final var isOver = false

    init(shard: Shard, target: PreparedTarget) {
        self.shard = shard
        self.target = target
    }

    /// How many messages it may send now.
    var room: Int { 0 }

    var inFlightCount: Int { 0 }

    final var isWaitingForAnswer: Bool { !isOver && inFlightCount > 0 }

    /// When the messages in flight were due.
    var dueTimes: [UInt64] { [] }

    /// Connects, and reports the success or the failure to the shard.
    func connect() {}

    func send(_ count: Int, due: UInt64, now: UInt64) {}

    /// Fails the client if a message sent before `deadline` has no answer yet.
    /// - Returns: when the messages were due that have failed with it.
    func failIfStalled(sentBefore deadline: UInt64) -> [UInt64] { [] }

    /// Closes for good. The shard's `clientClosed` is called at the end.
    func close() {}
}
