internal import RingDispatch

/// Sends a shard's open-loop messages when they are due, each on the connection that has been free
/// for longest. Messages wait while no connection is free; latencies count from the due time.
final class Pacer: @unchecked Sendable {
    // Safety: only the shard's queue touches the state.
    /// Messages sent in a row before the event loop may handle answers.
    private static let mostInTurn = 32
    /// When the next message is due within this time, the pacer spins instead of using its timer.
    private static let spinNanoseconds: UInt64 = 4_000
    /// Unsent messages that are counted one by one; the number of further ones is an estimate.
    private static let mostCounted = 1_000_000

    private unowned let shard: Shard
    private var arrivals: Arrivals
    private let timer: any DispatchSourceTimer
    private var scheduledNanoseconds: UInt64 = 0
    private var isTurnQueued = false
    private var isStopped = false
    /// Clients with room, each at most once.
    private var free: RingBuffer<LoadClient>
    /// True while a message is due and no client is free.
    private var isStarved = false
    /// When the last such time ended.
    private var starvedUntil: UInt64 = 0

    init(_ shard: Shard) {
        self.shard = shard
        free = RingBuffer(capacity: shard.numbers.count)
        arrivals = Arrivals(
            shard.plan, shard: shard.index, start: DispatchTime.now().uptimeNanoseconds,
            seed: shard.nextSeed())
        timer = DispatchSource.makeTimerSource(queue: shard.queue)
    }

    func start() {
        timer.setEventHandler { [self] in
            scheduledNanoseconds = 0
            pace(DispatchTime.now().uptimeNanoseconds)
        }
        timer.activate()
        pace(DispatchTime.now().uptimeNanoseconds)
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        timer.cancel()
        free.removeAll()
    }

    // MARK: clients

    func list(_ client: LoadClient) {
        guard !client.isListed, !client.isOver, client.room > 0, !isStopped else { return }
        client.isListed = true
        free.append(client)
    }

    private func takeFree() -> LoadClient? {
        while free.count > 0 {
            let client = free.removeOldest()
            client.isListed = false
            if !client.isOver, client.room > 0 { return client }
        }
        return nil
    }

    // MARK: messages

    /// Whether a message that was due within the measured time is still unsent.
    var hasBacklog: Bool {
        guard shard.budget > 0 else { return false }
        let now = DispatchTime.now().uptimeNanoseconds
        return arrivals.nextNanoseconds < min(shard.statistics.endNanoseconds, now)
    }

    /// Whether a message of the warm-up is still unsent.
    var hasWarmupBacklog: Bool { arrivals.nextNanoseconds < shard.statistics.startNanoseconds }

    /// The unsent messages of the plan that were due in the measured time, up to `end`: their
    /// number, and when those were due that were counted one by one.
    func unsent(before end: UInt64) -> (count: Int, dueTimes: [UInt64]) {
        let start = shard.statistics.startNanoseconds
        var rest = arrivals
        var dueTimes: [UInt64] = []
        for _ in 0..<Self.mostCounted {
            let due = rest.nextNanoseconds
            guard dueTimes.count < shard.budget, due < end else {
                return (dueTimes.count, dueTimes)
            }
            if due >= start { dueTimes.append(due) }
            rest.advance()
        }
        // A long overload leaves billions.
        let others = rest.expected(from: max(rest.nextNanoseconds, start), to: end)
        return (min(shard.budget, dueTimes.count + others), dueTimes)
    }

    /// Sends due messages while clients are free, then schedules the next call.
    func pace(_ start: UInt64) {
        guard !isStopped else { return }
        var now = start
        if isStarved {
            isStarved = false
            starvedUntil = now
        }
        var sent = 0
        while arrivals.nextNanoseconds <= now {
            let due = arrivals.nextNanoseconds
            guard due < shard.statistics.endNanoseconds, shard.budget > 0 else { return }
            guard sent < Self.mostInTurn else { return queueTurn() }
            guard let client = takeFree() else {
                isStarved = true
                return
            }
            if due <= starvedUntil {
                shard.statistics.recordWait(due: due)
            } else {
                shard.statistics.recordSlip(due: due, now: now)
            }
            arrivals.advance()
            let isMeasured = due >= shard.statistics.startNanoseconds
            if isMeasured, shard.budget != .max {
                shard.budget -= 1
                if shard.budget == 0 { endMeasuring(after: due) }
            }
            client.send(1, due: due, now: now)
            list(client)
            sent += 1
            now = DispatchTime.now().uptimeNanoseconds
        }
        wait(now)
    }

    /// The last message of the plan is sent: its answer does not lengthen the measured time.
    private func endMeasuring(after due: UInt64) {
        let end = max(due + 1, arrivals.nextNanoseconds)
        shard.statistics.endNanoseconds = min(shard.statistics.endNanoseconds, end)
    }

    private func wait(_ now: UInt64) {
        let next = arrivals.nextNanoseconds
        guard next < shard.statistics.endNanoseconds else { return }
        if next - now < Self.spinNanoseconds { return queueTurn() }
        guard scheduledNanoseconds != next else { return }
        scheduledNanoseconds = next
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: next - Self.spinNanoseconds))
    }

    private func queueTurn() {
        guard !isTurnQueued else { return }
        isTurnQueued = true
        shard.queue.async { [self] in
            isTurnQueued = false
            pace(DispatchTime.now().uptimeNanoseconds)
        }
    }
}
