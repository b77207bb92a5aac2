internal import Glibc

/// A buffer for the events of an inotify instance, which one thread at a time reads and reuses.
@usableFromInline
package final class InotifyEventBuffer: @unchecked Sendable {
    // Safety: the memory lives as long as the object; one thread at a time uses it.
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline static var headerSize: Int { 16 }
    /// No event is longer: a name of 255 bytes with its zero.
    private static let longestEvent = headerSize + 256

    /// - Parameter capacity: in bytes, of which an event without a name takes 16; by default, room
    ///   for several hundred events.
    package init(capacity: Int = 32_768) {
        memory = .allocate(byteCount: max(capacity, InotifyEventBuffer.longestEvent), alignment: 8)
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

    /// Whether the last reading took all that there was: there was room for one more.
    package var tookAll: Bool { count <= memory.count - InotifyEventBuffer.longestEvent }

    /// Goes through the events in their order, where they are.
    @inlinable @inline(__always)
    package func forEach(_ body: (InotifyEvent) -> Void) {
        forEachField { event, _ in body(event) }
    }

    /// The same, with the names of the entries that they are about; valid during the call.
    package func forEachNamed(_ body: (InotifyEvent, UnsafeRawBufferPointer) -> Void) {
        forEachField { event, field in
            let length = field.firstIndex(of: 0) ?? field.count
            body(event, UnsafeRawBufferPointer(rebasing: field[..<length]))
        }
    }

    /// - Parameter body: gets the name with the zeros that fill its field.
    @inlinable @inline(__always)
    func forEachField(_ body: (InotifyEvent, UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while count - offset >= InotifyEventBuffer.headerSize {
            let header = UnsafeRawBufferPointer(rebasing: memory[offset..<count])
            let nameSize = Int(header.load(fromByteOffset: 12, as: UInt32.self))
            offset += InotifyEventBuffer.headerSize
            // The kernel hands over whole events; nothing else is trusted to.
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
