/// One shard's part of the measurement.
struct ShardMeasurement: Sendable {
    let statistics: ShardStatistics
    let endNanoseconds: UInt64
}
