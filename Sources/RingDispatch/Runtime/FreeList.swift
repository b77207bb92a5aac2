/// Free blocks of memory: each begins with the address of the next one. The last one freed is the
/// next one used, still in the cache.
struct FreeList: @unchecked Sendable {
    // Safety: ownership of the blocks moves with the value.
    private var first: UnsafeMutableRawPointer?
    private(set) var count = 0

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

    /// Moves the first blocks to a list of their own. There are more.
    mutating func split(_ number: Int) -> FreeList {
        var batch = self
        batch.count = number
        var last = first
        for _ in 1..<number { last = last?.load(as: UnsafeMutableRawPointer?.self) }
        first = last?.load(as: UnsafeMutableRawPointer?.self)
        count -= number
        last?.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        return batch
    }

    mutating func empty(_ free: (UnsafeMutableRawPointer) -> Void) {
        while let block = pop() { free(block) }
    }
}
