import RingDispatch

/// Keys and values in memory, divided over isolation queues.
///
/// A command for one key runs in `sync` on the queue of the key's shard: on the thread of its
/// connection, without a hop. One for several keys takes its shards' queues in the order of their
/// numbers, which makes it atomic and free of deadlocks. Sessions use it from any thread.
package final class Store: Sendable {
    package let configuration: StoreConfiguration
    let keyHash: KeyHash
    /// The shards, alive as long as the store; without reference counting for each command.
    private let shards: [Shard]
    // Safety: written before the store is shared, never changed, freed with it.
    private nonisolated(unsafe) let shardPointers: UnsafeMutablePointer<Unmanaged<Shard>>
    private let shardShift: UInt64
    let sessionCounts: SessionCounts
    let startMilliseconds: Int64

    package convenience init(_ configuration: StoreConfiguration = StoreConfiguration()) {
        self.init(configuration, keyHash: .random())
    }

    init(_ configuration: StoreConfiguration, keyHash: KeyHash) {
        configuration.validate()
        self.configuration = configuration
        self.keyHash = keyHash
        let count = configuration.shardCount
        let budget = MemoryBudget(limit: configuration.maxMemoryBytes, shardCount: count)
        shards = (0..<count).map {
            Shard(number: $0, configuration: configuration, budget: budget)
        }
        shardPointers = .allocate(capacity: count)
        for (index, shard) in shards.enumerated() {
            (shardPointers + index).initialize(to: .passUnretained(shard))
        }
        shardShift = UInt64(64 - count.trailingZeroBitCount)
        sessionCounts = SessionCounts()
        startMilliseconds = configuration.clock()
    }

    deinit { shardPointers.deallocate() }

    // MARK: shards

    /// The number of a key's shard. The top bits of the hash: the tables use the lowest.
    @inline(__always)
    func shardIndex(_ hash: UInt64) -> Int {
        // A shift by 64, for a single shard, is 0.
        Int(truncatingIfNeeded: hash >> shardShift)
    }

    /// Runs `body` on the queue of the key's shard.
    @inline(__always)
    func onShard<Result>(of hash: UInt64, _ body: (Shard) -> Result) -> Result {
        shardPointers[shardIndex(hash)]._withUnsafeGuaranteedRef { shard in
            shard.queue.sync { body(shard) }
        }
    }

    /// The same on a shard whose queue the caller is on.
    @inline(__always)
    func onEnteredShard<Result>(of hash: UInt64, _ body: (Shard) -> Result) -> Result {
        shardPointers[shardIndex(hash)]._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the shards whose bits are set. The caller is on their queues.
    func onEnteredShards(_ mask: UInt64, _ body: (Shard) -> Void) {
        for (index, shard) in shards.enumerated() where mask >> UInt64(index) & 1 != 0 {
            body(shard)
        }
    }

    /// Runs `body` on the queues of all shards whose bits are set, nested in the order of their
    /// numbers: everybody's order, so that nobody waits in a circle.
    func onShards(_ mask: UInt64, _ body: () -> Void) {
        guard mask != 0 else { return body() }
        shardPointers[mask.trailingZeroBitCount]._withUnsafeGuaranteedRef { shard in
            shard.queue.sync { onShards(mask & (mask - 1), body) }
        }
    }

    /// Runs `body` on each shard's queue, one after the other.
    func forEachShard(_ body: (Shard) -> Void) {
        for shard in shards { shard.queue.sync { body(shard) } }
    }

    // MARK: everything

    /// How many keys there are, with those that have expired and were not removed yet.
    package var keyCount: Int {
        var sum = 0
        forEachShard { sum += $0.table.count }
        return sum
    }

    /// Removes all keys, at one moment.
    func removeAll() {
        var removed: [RemovedEntries] = []
        onShards(UInt64.max >> UInt64(64 - shards.count)) {
            removed = shards.map { $0.removeAll() }
        }
        // The entries go when the queues are free again.
        withExtendedLifetime(removed) {}
    }

    /// Removes what has expired, as the timers do. For tests with a clock of their own.
    func removeExpired() {
        forEachShard { $0.removeExpired() }
    }
}
