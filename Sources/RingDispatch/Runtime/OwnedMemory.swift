/// The address of memory that moves between threads.
struct OwnedMemory: Sendable {
    // Safety: the holder of the value owns the memory.
    nonisolated(unsafe) let start: UnsafeMutableRawPointer
}
