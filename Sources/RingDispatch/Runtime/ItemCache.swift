internal import LinuxPlatform
internal import Synchronization

/// A thread's own stack of free items: the last one freed is the next one used, still in the cache.
///
/// Items are often allocated by one thread and freed by another, so caches exchange batches of free
/// items through a depot.
/// Safety: only its own thread touches a cache.
struct ItemCache: ~Copyable {
    private var free: UnsafeMutableRawPointer?
    private var count = 0

    /// Items that move to or from the depot at once.
    static let batch = 128
    /// Free items that a thread keeps.
    static let limit = 2 * batch
    /// The memory of one item.
    static let bytes = 56

    init() {}

    @inline(__always)
    mutating func takeMemory() -> UnsafeMutableRawPointer {
        if free == nil { refill() }
        guard let memory = free else { fatalError("unreachable: refill always finds memory") }
        free = memory.load(as: UnsafeMutableRawPointer?.self)
        count &-= 1
        return memory
    }

    @inline(__always)
    mutating func giveMemory(_ memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: free, as: UnsafeMutableRawPointer?.self)
        free = memory
        count &+= 1
        if count > ItemCache.limit { giveBatch() }
    }

    @inline(never)
    private mutating func refill() {
        if let batch = ItemDepot.take() {
            free = batch
            count = ItemCache.batch
            return
        }
        // A thread that runs out needs more items soon: allocate a few at a time.
        for _ in 0..<8 {
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: ItemCache.bytes, alignment: MemoryLayout<UInt>.alignment)
            memory.storeBytes(of: free, as: UnsafeMutableRawPointer?.self)
            free = memory
            count += 1
        }
    }

    @inline(never)
    private mutating func giveBatch() {
        guard let head = free else { return }
        var last = head
        for _ in 1..<ItemCache.batch {
            guard let next = last.load(as: UnsafeMutableRawPointer?.self) else { return }
            last = next
        }
        free = last.load(as: UnsafeMutableRawPointer?.self)
        count -= ItemCache.batch
        last.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        ItemDepot.give(head)
    }

    /// Frees all items, when the thread ends.
    mutating func empty() {
        while let memory = free {
            free = memory.load(as: UnsafeMutableRawPointer?.self)
            memory.deallocate()
        }
        count = 0
    }
}

/// Batches of free items that move between threads.
private enum ItemDepot {
    /// Most batches that are kept; further ones are deallocated.
    static let limit = 64

    private static let batches = Locked<[OwnedMemory]>([])

    static func take() -> UnsafeMutableRawPointer? { batches.withLock { $0.popLast() }?.start }

    static func give(_ head: UnsafeMutableRawPointer) {
        let batch = OwnedMemory(start: head)
        let isKept = batches.withLock { batches in
            guard batches.count < limit else { return false }
            batches.append(batch)
            return true
        }
        guard !isKept else { return }
        var rest: UnsafeMutableRawPointer? = head
        while let memory = rest {
            rest = memory.load(as: UnsafeMutableRawPointer?.self)
            memory.deallocate()
        }
    }
}
