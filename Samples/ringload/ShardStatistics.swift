import Histogram

/// Latencies in nanoseconds.
typealias LatencyHistogram = Histogram<UInt64>

extension LatencyHistogram {
    /// A minute: slower answers count as a minute.
    static let slowestNanoseconds: UInt64 = 60_000_000_000

    /// The nanoseconds that the histogram tells apart, with three digits.
    static func forLatencies() -> LatencyHistogram {
        LatencyHistogram(
            lowestDiscernibleValue: 64, highestTrackableValue: slowestNanoseconds,
            numberOfSignificantValueDigits: .three)
    }
}

/// What one shard measured. It belongs to the shard; others get copies.
struct ShardStatistics: Sendable {
    /// When the shard began to measure.
    private(set) var startNanoseconds: UInt64 = 0
    private(set) var messages = 0
    private(set) var bytes = 0
    /// Measured, and no longer in `interval`.
    private var finished = LatencyHistogram.forLatencies()
    /// Since the last progress line or the beginning; a message is recorded once, here.
    private var interval = LatencyHistogram.forLatencies()
    /// For the next progress line only: what came before the beginning.
    private var unmeasured = LatencyHistogram.forLatencies()

    /// Forgets what was counted so far.
    mutating func begin(atNanoseconds now: UInt64) {
        let shown = takeInterval()
        self = ShardStatistics()
        unmeasured = shown
        startNanoseconds = now
    }

    /// Per echoed message.
    mutating func record(latencyNanoseconds: UInt64) {
        messages += 1
        interval.record(min(latencyNanoseconds, LatencyHistogram.slowestNanoseconds))
    }

    mutating func record(bytes count: Int) {
        bytes += count
    }

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
