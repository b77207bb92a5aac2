public import Histogram

/// The combined measurement of all shards.
public struct Measurement: Sendable {
    /// The measured time; in an open loop, longer if a backlog was worked off after its end.
    public private(set) var seconds = 0.0
    /// The time in which messages were due: `seconds` without a backlog.
    private(set) var dueSeconds = 0.0
    /// Answers to messages that were due in the measured time.
    public private(set) var messages = 0
    /// Bytes received.
    public private(set) var bytes = 0
    /// From the due time of a message to its answer. In a closed loop, messages are due when sent.
    /// Messages without an answer, and those never sent (up to a million of a shard), count if they
    /// have already waited longer than the median.
    public private(set) var latencies = LatencyHistogram.forLatencies()
    /// What only an open loop has: services, lateness, waits.
    public private(set) var open = OpenLoopStatistics()
    /// How long connecting took.
    public private(set) var connects = LatencyHistogram.forLatencies()
    /// How many idle connections were opened.
    public private(set) var idleConnections = 0

    /// Shards start and stop within microseconds of each other, so the measured time is their mean.
    /// A backlog lengthens it, but the usual service time of the last messages does not.
    init(_ shares: [ShardStatistics]) {
        for share in shares {
            let lastAnswer = share.lastAnswerNanoseconds
            let service = share.open.service.valueAtPercentile(50)
            let end = max(share.endNanoseconds, lastAnswer - min(lastAnswer, service))
            seconds += share.seconds(until: end) / Double(shares.count)
            dueSeconds += share.seconds(until: share.endNanoseconds) / Double(shares.count)
            messages += share.messages
            bytes += share.bytes
            latencies.add(share.latencies())
            open.add(share.open)
            connects.add(share.connects)
            idleConnections += share.idleConnections
        }
    }

    /// Answers per second; 0 if nothing was measured.
    public var messagesPerSecond: Double { seconds > 0 ? Double(messages) / seconds : 0 }
    /// Received megabytes per second.
    public var megabytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds / 1e6 : 0 }
}
