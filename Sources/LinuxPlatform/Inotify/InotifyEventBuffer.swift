internal import Glibc

/// A reusable buffer for the events of an inotify instance. For one thread at a time.
@usableFromInline
package final class InotifyEventBuffer {
    // Safety: the memory lives as long as the object; one thread at a time uses it.
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline static var headerSize: Int { 16 }
    /// The size of the longest event, whose name has 255 bytes and a zero byte.
    private static let longestEvent = headerSize + 256

    /// Fits about two thousand events with typical names.
    package init() { memory = .allocate(byteCount: 65_536, alignment: 8) }

    deinit { memory.deallocate() }

    /// Reads pending events, as many as fit; it may be none.
    package func read(from descriptor: Int32) {
        repeat {
            count = Glibc.read(descriptor, memory.baseAddress, memory.count)
        } while count < 0 && errno == EINTR
        count = max(0, count)
    }

    /// Whether the last read emptied the kernel's queue: the buffer had room for one more event.
    package var tookAll: Bool { count <= memory.count - InotifyEventBuffer.longestEvent }

    /// Calls `body` for each event, in order, without a copy.
    /// - Parameter body: also receives the name of the entry that the event is about, with zero
    ///   bytes after it; valid during the call.
    @inlinable @inline(__always)
    package func forEach(_ body: (InotifyEvent, UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while count - offset >= InotifyEventBuffer.headerSize {
            let header = UnsafeRawBufferPointer(rebasing: memory[offset..<count])
            let nameSize = Int(header.load(fromByteOffset: 12, as: UInt32.self))
            offset += InotifyEventBuffer.headerSize
            // The kernel writes only whole events; stop at anything else.
            guard nameSize <= count - offset, nameSize % 4 == 0 else { return }
            let field = UnsafeRawBufferPointer(rebasing: memory[offset..<(offset + nameSize)])
            offset += nameSize
            body(
                InotifyEvent(
                    watch: header.load(fromByteOffset: 0, as: Int32.self),
                    mask: InotifyMask(
                        rawValue: header.load(fromByteOffset: 4, as: UInt32.self)),
                    cookie: header.load(fromByteOffset: 8, as: UInt32.self),
                    isOfEntry: nameSize > 0), field)
        }
    }
}
