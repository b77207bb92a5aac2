/// A shard's share of the report.
struct ShardMeasurement: Sendable {
    let statistics: ShardStatistics
    let endNanoseconds: UInt64
}
