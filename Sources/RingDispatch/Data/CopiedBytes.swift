/// Memory for bytes that were copied: an object's header, and the bytes behind it.
final class CopiedBytes: ManagedBuffer<Void, UInt8> {
    /// A region over a new copy of the bytes, of which there is at least one.
    /// - Parameter capacity: how much room there is, for these bytes and others to follow.
    static func region(copying bytes: UnsafeRawBufferPointer, capacity: Int) -> DataRegion {
        let owner = CopiedBytes.create(minimumCapacity: capacity) { _ in () }
        // Safety: the tail's memory stays where it is as long as the object does, and the region
        // holds the object.
        return owner.withUnsafeMutablePointerToElements { start in
            let start = UnsafeMutableRawPointer(start)
            start.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            return DataRegion(owner: owner, start: start, count: bytes.count)
        }
    }
}
