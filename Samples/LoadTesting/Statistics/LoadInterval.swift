internal import Histogram

/// The results of one interval.
public struct LoadInterval: Sendable {
    /// The end of the interval, counted from the first message.
    public let seconds: Double
    /// About ``LoadPlan/intervalNanoseconds``.
    public let lengthSeconds: Double
    /// Whether at least half of the interval is before the measured time.
    public let isWarmingUp: Bool
    /// Answers in the interval.
    public let messages: Int
    /// The median of the latencies of these answers.
    public let p50Nanoseconds: UInt64
    /// Their 90th percentile.
    public let p90Nanoseconds: UInt64
    /// Their 99th percentile.
    public let p99Nanoseconds: UInt64
    /// Their 99.9th percentile.
    public let p999Nanoseconds: UInt64
    /// The longest of them.
    public let maxNanoseconds: UInt64
    /// Errors since the start of the run.
    public let errors: Int
    /// The CPU time of the client.
    public let processorSeconds: Double

    /// Answers per second.
    public var messagesPerSecond: Double { Double(messages) / max(lengthSeconds, 1e-9) }

    /// The CPU time of the client for an answer; 0 without answers.
    public var processorMicrosecondsPerMessage: Double {
        messages > 0 ? processorSeconds * 1e6 / Double(messages) : 0
    }

    init(
        _ ticks: [Shard.Tick], seconds: Double,
        lengthSeconds: Double, isWarmingUp: Bool, processorSeconds: Double
    ) {
        var latencies = LatencyHistogram.forLatencies()
        for tick in ticks { latencies.add(tick.latencies) }
        self.seconds = seconds
        self.lengthSeconds = lengthSeconds
        self.isWarmingUp = isWarmingUp
        self.processorSeconds = processorSeconds
        messages = Int(latencies.totalCount)
        p50Nanoseconds = latencies.valueAtPercentile(50)
        p90Nanoseconds = latencies.valueAtPercentile(90)
        p99Nanoseconds = latencies.valueAtPercentile(99)
        p999Nanoseconds = latencies.valueAtPercentile(99.9)
        maxNanoseconds = latencies.max
        errors = ticks.reduce(0) { $0 + $1.errors }
    }
}
