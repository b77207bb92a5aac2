internal import LinuxPlatform

/// A thread's own stack of free items: the last one freed is the next one used, still in the cache.
///
/// Items are often allocated by one thread and freed by another, so caches exchange batches of free
/// items through a depot.
/// Safety: only its own thread touches a cache.
struct ItemCache: ~Copyable {
    private var free = FreeList()

    /// Items that move to or from the depot at once.
    static let batch = 128
    /// Free items that a thread keeps.
    static let limit = 2 * batch
    /// The memory of one item.
    static let bytes = 56

    @inline(__always)
    mutating func takeMemory() -> UnsafeMutableRawPointer { free.pop() ?? refill() }

    @inline(__always)
    mutating func giveMemory(_ memory: UnsafeMutableRawPointer) {
        free.push(memory)
        if free.count > ItemCache.limit { giveBatch() }
    }

    @inline(never)
    private mutating func refill() -> UnsafeMutableRawPointer {
        if let batch = ItemDepot.take() {
            free = batch
        } else {
            // A thread that runs out needs more items soon: allocate a few at a time.
            for _ in 0..<7 { free.push(ItemCache.allocate()) }
        }
        return free.pop() ?? ItemCache.allocate()
    }

    private static func allocate() -> UnsafeMutableRawPointer {
        .allocate(byteCount: bytes, alignment: MemoryLayout<UInt>.alignment)
    }

    @inline(never)
    private mutating func giveBatch() {
        var batch = FreeList()
        while batch.count < ItemCache.batch, let memory = free.pop() { batch.push(memory) }
        ItemDepot.give(batch)
    }

    /// Frees all items, when the thread ends.
    mutating func empty() { free.empty { $0.deallocate() } }
}

/// Batches of free items that move between threads.
private enum ItemDepot {
    /// Most batches that are kept; further ones are deallocated.
    static let limit = 64

    private static let batches = Locked<[FreeList]>([])

    static func take() -> FreeList? { batches.withLock { $0.popLast() } }

    static func give(_ batch: FreeList) {
        let isKept = batches.withLock { batches in
            guard batches.count < limit else { return false }
            batches.append(batch)
            return true
        }
        var rest = batch
        if !isKept { rest.empty { $0.deallocate() } }
    }
}
