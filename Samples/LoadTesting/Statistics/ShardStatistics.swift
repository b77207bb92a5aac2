internal import Histogram

/// The statistics of one shard. It belongs to the shard; others get copies.
struct ShardStatistics: Sendable {
    /// When the shard began to measure. Messages that were due before do not count.
    private(set) var startNanoseconds: UInt64 = 0
    /// Messages that are due later do not count.
    var endNanoseconds = UInt64.max
    private(set) var messages = 0
    private(set) var bytes = 0
    private(set) var lastAnswerNanoseconds: UInt64 = 0
    /// From the time a message was due to its answer. Measured, and no longer in `interval`.
    private var finished = LatencyHistogram.forLatencies()
    /// Since the last progress line or the beginning; a message is recorded once, here.
    private var interval = LatencyHistogram.forLatencies()
    /// For the next progress line only: latencies from before `begin`.
    private var unmeasured = LatencyHistogram.forLatencies()
    private(set) var open = OpenLoopStatistics()
    private(set) var connects = LatencyHistogram.forLatencies()

    /// Resets all counts.
    mutating func begin(atNanoseconds now: UInt64) {
        let shown = takeInterval()
        let connects = connects
        self = ShardStatistics()
        self.connects = connects
        unmeasured = shown
        startNanoseconds = now
    }

    /// Per answered message.
    @inline(__always)
    mutating func record(due: UInt64, now: UInt64) {
        // Late answers to messages of the warm-up do not count.
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        messages += 1
        lastAnswerNanoseconds = now
        interval.recordLatency(now &- due)
    }

    /// Per answered message of an open loop.
    mutating func recordService(due: UInt64, sent: UInt64, now: UInt64) {
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        open.service.recordLatency(now &- sent)
    }

    /// Per message that was sent when it was due, as far as the client could.
    mutating func recordSlip(due: UInt64, now: UInt64) {
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        open.slip.recordLatency(now &- due)
    }

    /// Per message that was due while no connection was free for it.
    mutating func recordWait(due: UInt64) {
        if due >= startNanoseconds && due < endNanoseconds { open.waited += 1 }
    }

    mutating func recordUnsent(_ count: Int) { open.unsent += count }

    mutating func recordConnect(_ nanoseconds: UInt64) { connects.recordLatency(nanoseconds) }

    mutating func record(bytes count: Int) { bytes += count }

    /// The latencies since the last call, measured or not.
    mutating func takeInterval() -> LatencyHistogram {
        var taken = interval
        finished.add(taken)
        interval.reset()
        taken.add(unmeasured)
        unmeasured.reset()
        return taken
    }

    /// All latencies since the start.
    func latencies() -> LatencyHistogram {
        var all = finished
        all.add(interval)
        return all
    }
}
