internal import Ring

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

/// Keeps an array whose bytes a region is over.
final class ArrayBytes: Sendable {
    let array: [UInt8]

    private init(_ array: [UInt8]) {
        self.array = array
    }

    /// A region over the array's own memory; nil when it has no bytes.
    static func region(_ array: [UInt8]) -> DataRegion? {
        guard !array.isEmpty else { return nil }
        let owner = ArrayBytes(array)
        return owner.array.withUnsafeBytes { bytes in
            // Safety: the elements of an array lie in one heap object, which stays unchanged and
            // where it is while `owner`, a constant, holds it: whoever changes another copy of the
            // array changes it elsewhere.
            DataRegion(owner: owner, start: bytes.baseAddress!, count: bytes.count)
        }
    }
}

/// Gives a user's memory back when the last region over it has gone.
final class ForeignBytes {
    private let bytes: UnsafeRawBufferPointer
    private let deallocator: DispatchData.Deallocator

    init(_ bytes: UnsafeRawBufferPointer, _ deallocator: DispatchData.Deallocator) {
        self.bytes = bytes
        self.deallocator = deallocator
    }

    deinit { deallocator.deallocate(bytes) }
}

extension DispatchData.Deallocator {
    /// Gives the bytes back, or asks the user's block to.
    func deallocate(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .free:
            Memory.free(bytes.baseAddress)
        case .unmap:
            guard !bytes.isEmpty else { return }
            do {
                try Memory.unmap(bytes)
            } catch {
                fatalMisuse(
                    "DispatchData: the deallocator .unmap of \(bytes.count) bytes: \(error)")
            }
        case .custom(let queue, let block):
            let block = DeallocatorBlock(run: block)
            (queue ?? DispatchQueue.global()).async { block.run() }
        }
    }
}

/// A deallocator's block on its way to its queue.
private struct DeallocatorBlock: @unchecked Sendable {
    // Safety: called once, after the last use of the memory that it gives back.
    let run: () -> Void
}
