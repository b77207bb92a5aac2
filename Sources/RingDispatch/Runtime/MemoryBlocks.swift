internal import LinuxPlatform

/// The free blocks that a thread keeps for `ThreadMemory`, a list: each begins with the address of
/// the next one.
struct MemoryBlocks {
    private var first: UnsafeMutableRawPointer?
    private(set) var count = 0
    /// The number of blocks that the thread has taken.
    var inUse = 0

    @inline(__always)
    mutating func pop() -> UnsafeMutableRawPointer? {
        guard let block = first else { return nil }
        first = block.load(as: UnsafeMutableRawPointer?.self)
        count &-= 1
        return block
    }

    @inline(__always)
    mutating func push(_ block: UnsafeMutableRawPointer) {
        block.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
        first = block
        count &+= 1
    }

    mutating func freeAll() {
        while let block = pop() { PageMemory.free(block, Tuning.memoryBlockBytes) }
    }
}
