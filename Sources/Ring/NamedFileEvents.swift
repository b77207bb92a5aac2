internal import Glibc

/// Like `FileEvents`, with the names of the entries that events are about.
package final class NamedFileEvents: @unchecked Sendable {
    // Safety: the memory lives as long as the object; one thread at a time uses it.
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    /// About two thousand events of files with common names.
    private static let capacity = 65_536
    private static let headerSize = 16
    /// No event is longer: a name of 255 bytes with its zero.
    private static let longestEvent = headerSize + 256

    package init() {
        memory = .allocate(byteCount: NamedFileEvents.capacity, alignment: 8)
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
    package var tookAll: Bool { count <= memory.count - NamedFileEvents.longestEvent }

    /// Goes through the events in their order. The name is valid during the call.
    package func forEach(_ body: (FileEvent, UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while count - offset >= NamedFileEvents.headerSize {
            let header = UnsafeRawBufferPointer(rebasing: memory[offset..<count])
            let nameSize = Int(header.load(fromByteOffset: 12, as: UInt32.self))
            offset += NamedFileEvents.headerSize
            // The kernel hands over whole events; nothing else is trusted to.
            guard nameSize <= count - offset, nameSize % 4 == 0 else { return }
            let field = UnsafeRawBufferPointer(rebasing: memory[offset..<(offset + nameSize)])
            let length = field.firstIndex(of: 0) ?? nameSize
            offset += nameSize
            body(
                FileEvent(
                    watch: header.load(fromByteOffset: 0, as: Int32.self),
                    changes: FileChanges(
                        rawValue: header.load(fromByteOffset: 4, as: UInt32.self)),
                    cookie: header.load(fromByteOffset: 8, as: UInt32.self),
                    isOfEntry: nameSize > 0),
                UnsafeRawBufferPointer(rebasing: field[..<length]))
        }
    }
}

extension FileChanges {
    /// Asked for with a folder's watch: all that is told of its entries, and its own end; nothing
    /// of entries that have no name any more, and nothing at all if it is not a folder.
    package static var ofFolder: FileChanges {
        let flags = FileChanges(rawValue: UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK))
        return [.entries, .modified, .attributes, .selfDeleted, .selfMoved, flags]
    }

    /// Asked for with the watch of a folder that holds other watched ones: not what is written to
    /// the files beside them.
    package static var ofRoots: FileChanges { [.ofNames, .attributes, .selfMoved] }

    /// Asked for with the watch of a folder in which only names matter.
    package static var ofNames: FileChanges {
        [.entries, .selfDeleted, FileChanges(rawValue: UInt32(IN_ONLYDIR))]
    }
}
