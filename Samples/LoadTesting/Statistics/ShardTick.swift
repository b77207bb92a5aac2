/// One shard's part of a progress line.
struct ShardTick: Sendable {
    let latencies: LatencyHistogram
    let errors: Int
}
