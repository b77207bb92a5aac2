import Synchronization

/// The memory that the whole store may use. Shards take what they need from it in chunks, so that a
/// command seldom touches what all of them share.
final class MemoryBudget: Sendable {
    /// Bytes; `Int.max`: no limit.
    let limit: Int
    /// What a shard takes, and keeps for its next commands.
    let chunkBytes: Int
    /// What the shards have taken. Relaxed: the sum alone counts, it orders nothing.
    private let taken = Atomic<Int>(0)

    init(limit: Int, shardCount: Int) {
        self.limit = limit
        // A shard keeps three unused chunks at most: a twentieth of the limit in all of them.
        chunkBytes = min(max(limit / (64 * shardCount), 1), 1 << 20)
    }

    /// Takes `byteCount`; false when the limit forbids it.
    func take(_ byteCount: Int) -> Bool {
        let sum = taken.wrappingAdd(byteCount, ordering: .relaxed).newValue
        if sum <= limit { return true }
        taken.wrappingSubtract(byteCount, ordering: .relaxed)
        return false
    }

    /// Takes `byteCount` for what cannot be refused, even beyond the limit.
    func takeAnyway(_ byteCount: Int) {
        taken.wrappingAdd(byteCount, ordering: .relaxed)
    }

    func giveBack(_ byteCount: Int) {
        taken.wrappingSubtract(byteCount, ordering: .relaxed)
    }
}

/// A shard's part of the budget. Confined to the shard's queue.
struct MemoryAccount {
    private let budget: MemoryBudget
    /// What the shard's keys, values and tables take.
    private(set) var usedBytes = 0
    /// What was taken from the budget; at least `usedBytes`.
    private var takenBytes = 0
    /// Room for several changes is reserved: none of it is given back before they are done.
    private var isHolding = false

    init(_ budget: MemoryBudget) {
        self.budget = budget
    }

    /// Makes sure that `byteCount` more can be charged; false when the store's limit forbids it.
    @inline(__always)
    mutating func reserve(_ byteCount: Int) -> Bool {
        usedBytes + byteCount <= takenBytes || reserveSlowly(byteCount)
    }

    @inline(never)
    private mutating func reserveSlowly(_ byteCount: Int) -> Bool {
        let missing = usedBytes + byteCount - takenBytes
        if budget.take(missing + budget.chunkBytes) {
            takenBytes += missing + budget.chunkBytes
            return true
        }
        guard budget.take(missing) else { return false }
        takenBytes += missing
        return true
    }

    /// Counts `byteCount` as used, negative ones as free. Beyond what was reserved it overdraws.
    @inline(__always)
    mutating func charge(_ byteCount: Int) {
        usedBytes += byteCount
        if usedBytes > takenBytes || takenBytes - usedBytes > 3 * budget.chunkBytes { settle() }
    }

    /// Before the changes that what follows is reserved for; `release` ends it.
    mutating func hold() { isHolding = true }

    /// Gives back what was reserved and not used.
    mutating func release() {
        isHolding = false
        charge(0)
    }

    @inline(never)
    private mutating func settle() {
        let wanted = usedBytes + budget.chunkBytes
        if usedBytes > takenBytes {
            budget.takeAnyway(usedBytes - takenBytes)
            takenBytes = usedBytes
        } else if !isHolding, wanted < takenBytes {
            budget.giveBack(takenBytes - wanted)
            takenBytes = wanted
        }
    }
}
