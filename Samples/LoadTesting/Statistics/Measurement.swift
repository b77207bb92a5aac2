public import Histogram

/// The measurement of all shards together.
public struct Measurement: Sendable {
    public private(set) var seconds = 0.0
    public private(set) var messages = 0
    /// Bytes that came.
    public private(set) var bytes = 0
    /// From the time a message was due to its answer; in a closed loop it is due when it is sent.
    public private(set) var latencies = LatencyHistogram.forLatencies()
    public private(set) var open = OpenLoopStatistics()
    /// The time that connecting takes.
    public private(set) var connects = LatencyHistogram.forLatencies()

    init() {}

    /// The shards begin and end within microseconds of each other: their mean is the time measured.
    init(_ shares: [ShardMeasurement]) {
        for share in shares {
            let end = max(share.endNanoseconds, share.statistics.lastAnswerNanoseconds)
            let nanoseconds = end - min(end, share.statistics.startNanoseconds)
            seconds += Double(nanoseconds) / 1e9 / Double(shares.count)
            messages += share.statistics.messages
            bytes += share.statistics.bytes
            latencies.add(share.statistics.latencies())
            open.add(share.statistics.open)
            connects.add(share.statistics.connects)
        }
    }

    public var messagesPerSecond: Double { seconds > 0 ? Double(messages) / seconds : 0 }
    /// Millions of bytes received, which is about as many as were sent.
    public var megabytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds / 1e6 : 0 }
}
