/// One shard's part of the measurement.
struct ShardMeasurement: Sendable {
    let statistics: ShardStatistics
    let endNanoseconds: UInt64
    /// Those that were opened.
    var idleConnections = 0

    /// From the start of measuring; 0 if that is later.
    func seconds(until end: UInt64) -> Double {
        Double(end - min(end, statistics.startNanoseconds)) / 1e9
    }
}
