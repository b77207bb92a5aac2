/// A connection of the load, and its successors if connections are replaced.
/// Confined to its shard's queue.
class LoadClient: @unchecked Sendable {
    // Safety: used on the shard's queue only.
    /// A reference cycle, which the shard breaks when all clients are closed.
    final let shard: Shard
    final let target: PreparedTarget
    @exclusivity(unchecked) final var inFlight: InFlight
    /// It is in the pacer's list of clients that may send.
    final var isListed = false
    /// It has failed, or was closed for good.
    @exclusivity(unchecked) final var isOver = false

    init(shard: Shard, target: PreparedTarget) {
        self.shard = shard
        self.target = target
        inFlight = InFlight(capacity: shard.plan.pipeline)
    }

    /// Messages that it may send now.
    var room: Int { inFlight.room }

    final var isWaitingForAnswer: Bool { !isOver && inFlight.count > 0 }

    /// Connects, and reports the success or the failure to the shard.
    func connect() {}

    /// Sends new messages, at most `room`.
    func send(_ count: Int, due: UInt64, now: UInt64) {}

    /// Fails if a message sent before `deadline` still waits for its answer.
    func failIfStalled(sentBefore deadline: UInt64) {}

    /// Closes for good, and reports it to the shard with `clientClosed`.
    func close() {}

    /// Counts answers.
    @inline(__always)
    final func answered(_ count: Int, now: UInt64) {
        for _ in 0..<count {
            let message = inFlight.removeOldest()
            shard.record(message, now: now)
        }
    }
}
