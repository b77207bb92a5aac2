/// Free blocks of one size, a list: each begins with the address of the next one.
struct FreeList: Sendable {
    // Safety: the holder of the value owns the blocks.
    private nonisolated(unsafe) var first: UnsafeMutableRawPointer?
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

    mutating func empty(_ free: (UnsafeMutableRawPointer) -> Void) {
        while let block = pop() { free(block) }
    }
}
