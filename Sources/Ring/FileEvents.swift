internal import Glibc

/// A buffer that events of a watcher are read into, used again and again by one thread at a time.
package final class FileEvents: @unchecked Sendable {
    // Safety: the memory lives as long as the object; one thread at a time uses it.
    private let memory: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var count = 0

    /// Several hundred events; no event is longer than a name and 17 bytes.
    private static let capacity = 32_768
    private static let headerSize = 16

    package init() {
        memory = .allocate(byteCount: FileEvents.capacity, alignment: 8)
    }

    deinit { memory.deallocate() }

    /// Takes what waits, as far as it fits; false when there was nothing.
    package func read(from descriptor: Int32) -> Bool {
        repeat {
            count = Glibc.read(descriptor, memory.baseAddress, memory.count)
        } while count < 0 && errno == EINTR
        count = max(0, count)
        return count > 0
    }

    /// Goes through the events in their order, where they are.
    @inline(__always)
    package func forEach(_ body: (FileEvent) -> Void) {
        var offset = 0
        while count - offset >= FileEvents.headerSize {
            let header = UnsafeRawBufferPointer(rebasing: memory[offset...])
            let nameSize = Int(header.load(fromByteOffset: 12, as: UInt32.self))
            offset += FileEvents.headerSize
            // The kernel hands over whole events; nothing else is trusted to.
            guard nameSize <= count - offset, nameSize % 4 == 0 else { return }
            offset += nameSize
            body(
                FileEvent(
                    watch: header.load(fromByteOffset: 0, as: Int32.self),
                    changes: FileChanges(
                        rawValue: header.load(fromByteOffset: 4, as: UInt32.self)),
                    cookie: header.load(fromByteOffset: 8, as: UInt32.self),
                    isOfEntry: nameSize > 0))
        }
    }
}
