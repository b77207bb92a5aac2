internal import Histogram

/// The statistics of one shard, which alone writes them; others receive copies.
struct ShardStatistics: Sendable {
    /// When the shard began to measure. Messages due earlier do not count.
    private(set) var startNanoseconds: UInt64 = 0
    /// Messages due from now on do not count.
    var endNanoseconds = UInt64.max
    private(set) var messages = 0
    private(set) var bytes = 0
    private(set) var lastAnswerNanoseconds: UInt64 = 0
    /// From due time to answer, without the messages that are still in `interval`.
    private var finished = LatencyHistogram.forLatencies()
    /// The latencies since the last progress line. A message is recorded here first, then added to
    /// `finished`.
    private var interval = LatencyHistogram.forLatencies()
    /// Latencies from before `begin`, which only the next progress line shows.
    private var unmeasured = LatencyHistogram.forLatencies()
    private(set) var open = OpenLoopStatistics()
    private(set) var connects = LatencyHistogram.forLatencies()
    /// Those that were opened.
    var idleConnections = 0

    mutating func begin(atNanoseconds now: UInt64) {
        let shown = takeInterval()
        let connects = connects
        self = ShardStatistics()
        self.connects = connects
        unmeasured = shown
        startNanoseconds = now
    }

    /// Records an answered message.
    @inline(__always)
    mutating func record(due: UInt64, now: UInt64) {
        // Late answers to warm-up messages do not count.
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        messages += 1
        lastAnswerNanoseconds = now
        interval.recordLatency(now &- due)
    }

    /// Records the latencies so far of messages without an answer, so that a server that hangs does
    /// not hide it. One below the median says nothing yet.
    mutating func recordUnanswered(_ dues: some Sequence<UInt64>, now: UInt64) {
        let median = latencies().valueAtPercentile(50)
        for due in dues where due >= startNanoseconds && due < endNanoseconds {
            // While stalled messages fail, others are sent, which are due after `now`.
            let waited = now - min(now, due)
            if waited > median { finished.recordLatency(waited) }
        }
    }

    /// Records an answered message of an open loop.
    mutating func recordService(due: UInt64, sent: UInt64, now: UInt64) {
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        open.service.recordLatency(now &- sent)
    }

    /// Records a message that found a free connection.
    mutating func recordSlip(due: UInt64, now: UInt64) {
        guard due >= startNanoseconds, due < endNanoseconds else { return }
        open.slip.recordLatency(now &- due)
    }

    /// Records a message that had to wait for a free connection.
    mutating func recordWait(due: UInt64) {
        if due >= startNanoseconds && due < endNanoseconds { open.waited += 1 }
    }

    mutating func recordUnsent(_ count: Int, hasWarmupBacklog: Bool) {
        open.unsent += count
        open.hasWarmupBacklog = hasWarmupBacklog
    }

    mutating func recordConnect(_ nanoseconds: UInt64) { connects.recordLatency(nanoseconds) }

    mutating func record(bytes count: Int) { bytes += count }

    /// Returns the latencies since the last call, including unmeasured ones.
    mutating func takeInterval() -> LatencyHistogram {
        var taken = interval
        finished.add(taken)
        interval.reset()
        taken.add(unmeasured)
        unmeasured.reset()
        return taken
    }

    /// From the start of measuring; 0 if that is later.
    func seconds(until end: UInt64) -> Double { Double(end - min(end, startNanoseconds)) / 1e9 }

    func latencies() -> LatencyHistogram {
        var all = finished
        all.add(interval)
        return all
    }
}
