import Synchronization

/// What a store has done, and holds.
package struct StoreStatistics: Sendable {
    package var keys = 0
    package var keysWithDeadline = 0
    package var usedMemoryBytes = 0
    package var hits = 0
    package var misses = 0
    package var expiredKeys = 0
    package var commands = 0
    package var openSessions = 0
    package var sessions = 0
    package var uptimeSeconds = 0
}

extension Store {
    /// The figures of this moment: each shard's are exact, the shards are asked one by one.
    package var statistics: StoreStatistics {
        var result = StoreStatistics()
        forEachShard { shard in
            result.keys += shard.table.count
            result.keysWithDeadline += shard.deadlines.count
            result.usedMemoryBytes += shard.account.usedBytes
            result.hits += shard.counts.hits
            result.misses += shard.counts.misses
            result.expiredKeys += shard.counts.expired
        }
        result.commands = sessionCounts.commands
        result.openSessions = sessionCounts.open.load(ordering: .relaxed)
        result.sessions = sessionCounts.opened.load(ordering: .relaxed)
        result.uptimeSeconds = Int((configuration.clock() - startMilliseconds) / 1000)
        return result
    }
}

/// What the sessions count together. All relaxed: figures for people, which order nothing.
final class SessionCounts: Sendable {
    /// Sessions add their commands to one of several counters, so that they seldom meet.
    private let counters = (0..<16).map { _ in PaddedCounter() }
    let open = Atomic<Int>(0)
    let opened = Atomic<Int>(0)

    /// A session begins; its number, from 1, and its counter of commands.
    func begin() -> (number: Int, counter: PaddedCounter) {
        open.wrappingAdd(1, ordering: .relaxed)
        let number = opened.wrappingAdd(1, ordering: .relaxed).newValue
        return (number, counters[number % counters.count])
    }

    func end() {
        open.wrappingSubtract(1, ordering: .relaxed)
    }

    var commands: Int {
        counters.reduce(0) { $0 + $1.value.load(ordering: .relaxed) }
    }
}

/// A counter that shares its cache line with no other.
final class PaddedCounter: Sendable {
    private let before = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    /// Relaxed, see `SessionCounts`.
    let value = Atomic<Int>(0)
    private let after = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
}
