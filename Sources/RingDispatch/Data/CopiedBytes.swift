/// Memory for copied bytes: an object with the bytes as its tail.
final class CopiedBytes: ManagedBuffer<Void, UInt8> {
    /// A region over a new copy of the bytes, of which there must be at least one.
    /// - Parameter capacity: the space to allocate, for these bytes and later appends.
    static func region(copying bytes: UnsafeRawBufferPointer, capacity: Int) -> DataRegion {
        let owner = CopiedBytes.create(minimumCapacity: capacity) { _ in () }
        // Safety: the region retains the object, whose tail never moves.
        return owner.withUnsafeMutablePointerToElements { start in
            let start = UnsafeMutableRawPointer(start)
            start.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            return DataRegion(owner: owner, start: start, count: bytes.count)
        }
    }
}
