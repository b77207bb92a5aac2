/// One place of the load: a connection, and after it the next one where connections are made anew.
/// Confined to its shard's queue.
class LoadClient: @unchecked Sendable {
    // Safety: used on the shard's queue only.
    /// A cycle, which the shard opens when all clients are closed.
    final let shard: Shard
    final let target: PreparedTarget
    @exclusivity(unchecked) final var inFlight: InFlight
    /// It is in the shard's list of clients that may send.
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

    /// Makes the connection; the shard hears `clientConnected`, or of the failure.
    func connect() {}

    /// Sends new messages, at most `room`.
    func send(_ count: Int, due: UInt64, now: UInt64) {}

    /// Fails what has waited since before `deadline`.
    func failIfStalled(sentBefore deadline: UInt64) {}

    /// Closes for good; the shard hears `clientClosed`.
    func close() {}

    /// Counts answers that came, and goes on.
    @inline(__always)
    final func answered(_ count: Int, now: UInt64) {
        for _ in 0..<count {
            let message = inFlight.removeOldest()
            shard.record(message, now: now)
        }
    }
}
