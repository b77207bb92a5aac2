import SampleSupport

/// What the user asked for, checked.
struct LoadConfiguration: Sendable {
    let target: Target
    let connections: Int
    let sizeBytes: Int
    let pipeline: Int
    let warmup: TimeSpan
    let duration: TimeSpan
    let stallTimeout: TimeSpan
    let seed: UInt64
    let shards: Int
    let backend: String

    /// The connections of one shard: as even as can be.
    func connections(ofShard shard: Int) -> Range<Int> {
        connections * shard / shards..<connections * (shard + 1) / shards
    }
}
