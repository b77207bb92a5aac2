import Glibc
import RingDispatch
import Testing

/// Reads of files that are not in the page cache, if the file system allows that: they take a
/// while.
final class ColdReads: Sendable {
    private struct Read {
        let transfer: Transfer
        let channel: DispatchIO
        let cleanup: Cleanup
    }

    private let folder = Folder()
    private let bytes: [UInt8]
    private let descriptors: [Int32]
    private let reads = Watched<[Read]>([])

    init(files: Int, of size: Int) {
        bytes = patternBytes(size)
        descriptors = (0..<files).map { [folder, bytes] number in
            let path = folder.makeFile("file\(number)", bytes)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            precondition(descriptor >= 0, "errno \(errno)")
            fdatasync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            return descriptor
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// Starts to read all files. Once.
    func start() {
        for (number, descriptor) in descriptors.enumerated() {
            let (channel, cleanup) = IOTests.open(.random, descriptor)
            let queue = DispatchQueue(label: "cold.read.\(number)")
            let read = Read(
                transfer: channel.read(.max, on: queue), channel: channel, cleanup: cleanup)
            reads.append(read)
        }
    }

    /// Waits for the end of all reads, and checks the bytes.
    func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) {
        let reads = reads.value
        #expect(reads.count == descriptors.count, sourceLocation: sourceLocation)
        for read in reads {
            read.transfer.finish(sourceLocation: sourceLocation)
            let isSame = read.transfer.bytes == bytes && read.transfer.error == 0
            #expect(isSame, sourceLocation: sourceLocation)
        }
    }

    /// Closes the channels.
    func finish(sourceLocation: SourceLocation = #_sourceLocation) {
        for read in reads.value {
            IOTests.finish(read.channel, read.cleanup, sourceLocation: sourceLocation)
        }
    }
}
