import Histogram

/// What all shards measured together.
struct Measurement: Sendable {
    private(set) var seconds = 0.0
    private(set) var messages = 0
    private(set) var bytes = 0
    private(set) var latencies = LatencyHistogram.forLatencies()

    init() {}

    /// The shards begin and end within microseconds of each other: their mean is the time measured.
    init(_ shares: [ShardMeasurement]) {
        for share in shares {
            let nanoseconds = share.endNanoseconds - share.statistics.startNanoseconds
            seconds += Double(nanoseconds) / 1e9 / Double(shares.count)
            messages += share.statistics.messages
            bytes += share.statistics.bytes
            latencies.add(share.statistics.latencies())
        }
    }

    var messagesPerSecond: Double { seconds > 0 ? Double(messages) / seconds : 0 }
    /// Millions of bytes received, which is about as many as were sent.
    var megabytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds / 1e6 : 0 }
}
