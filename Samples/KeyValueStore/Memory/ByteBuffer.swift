import Glibc

/// Bytes in memory of their own, with room at the end. It is emptied and filled again without being
/// allocated anew.
struct ByteBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var capacity = 0

    init() {}

    deinit { free(start) }

    var isEmpty: Bool { count == 0 }

    /// Valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// - Parameter expectedCount: how long the content will be in the end, as far as is known:
    ///   the room grows by doubling, but not beyond that.
    mutating func append(_ bytes: UnsafeRawBufferPointer, expectedCount: Int = .max) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        let needed = count + bytes.count
        if needed > capacity {
            grow(to: max(needed, min(max(2 * capacity, 512), expectedCount)))
        }
        (start! + count).copyMemory(from: source, byteCount: bytes.count)
        count = needed
    }

    /// Drops the last bytes.
    mutating func truncate(to newCount: Int) {
        count = newCount
    }

    /// Drops the first bytes, and moves the others to the front.
    mutating func removeFirst(_ removed: Int) {
        guard removed > 0 else { return }
        count -= removed
        if count > 0 { memmove(start!, start! + removed, count) }
    }

    /// Drops all bytes, and keeps the room unless it is larger than `retainedBytes`.
    mutating func removeAll(retainedBytes: Int) {
        count = 0
        if capacity > retainedBytes {
            free(start)
            start = nil
            capacity = 0
        }
    }

    private mutating func grow(to newCapacity: Int) {
        guard let memory = realloc(start, newCapacity) else { outOfMemory(newCapacity) }
        start = memory
        capacity = newCapacity
    }
}

/// The system has no memory left; nothing sensible can be answered.
func outOfMemory(_ byteCount: Int) -> Never {
    fatalError("no memory for \(byteCount) bytes; remedy: a lower memory limit for the store")
}
