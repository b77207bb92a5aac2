internal import CLinux
internal import Glibc

/// Reads the entries of one folder after another into the same memory. For one thread at a time.
package final class FolderReader {
    // Safety: the memory lives as long as the object; one thread at a time uses it. It is mapped
    // pages: a small folder touches only the first, and no heap memory stays in use after the scan
    // of a big tree.
    private let memory: UnsafeMutableRawBufferPointer
    /// The open folder; -1 if there is none.
    package private(set) var descriptor: Int32 = -1

    /// Bytes of the memory that hold entries.
    private var filled = 0

    private static let capacity = 32_768
    /// More than an entry with the longest name needs: with less room the next entry might not fit.
    private static let mostEntrySize = 1024
    private static let headerSize = 19

    package init() {
        memory = UnsafeMutableRawBufferPointer(
            start: PageMemory.allocate(FolderReader.capacity), count: FolderReader.capacity)
    }

    deinit {
        close()
        if let start = memory.baseAddress { PageMemory.free(start, memory.count) }
    }

    /// Opens a folder. The path ends in a zero byte, and may be longer than PATH_MAX.
    package func open(path: [UInt8], followsLink: Bool) throws(SystemError) {
        close()
        let last = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
        guard path.count > Int(PATH_MAX) else {
            descriptor = try FolderReader.open(path, in: AT_FDCWD, last)
            return
        }
        let parts = path.dropLast().split(separator: UInt8(ascii: "/"))
        let isAbsolute = path.first == UInt8(ascii: "/")
        var folder = isAbsolute ? try FolderReader.open([47, 0], in: AT_FDCWD, last) : AT_FDCWD
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let flags = isLast ? last : Int32(CLINUX_OPEN_PATH) | O_DIRECTORY | O_CLOEXEC
            let parent = folder
            defer { if parent >= 0 { _ = Glibc.close(parent) } }
            folder = try FolderReader.open(Array(part) + [0], in: parent, flags)
        }
        descriptor = folder
    }

    private static func open(
        _ path: [UInt8], in folder: Int32, _ flags: Int32
    ) throws(SystemError) -> Int32 {
        try checked("open") {
            FilePlace.path(path, followsLink: true).withPath { openat(folder, $0, flags) }
        }
    }

    package func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// The content of a small file in an open folder; nil when it cannot be read. The name ends in
    /// a zero byte; symbolic links are not followed.
    /// - Throws: if descriptors or memory have run out.
    package static func contents(
        of name: [UInt8], in folder: Int32, limit: Int
    ) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            let file = OwnedDescriptor(adopting: try open(name, in: folder, flags))
            return SystemFile.bytes(of: file.number, limit: limit)
        } catch {
            if ErrorCode.isShortage(error.code) { throw error }
            return nil
        }
    }

    /// Reads entries of the open folder until the end, or until the memory is full.
    /// - Returns: whether there may be more.
    package func fill() throws(SystemError) -> Bool {
        filled = 0
        while memory.count - filled >= FolderReader.mostEntrySize {
            let room = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
            let count = clinux_read_folder(descriptor, room.baseAddress, room.count)
            if count == -Int64(EINTR) { continue }
            guard count >= 0 else {
                throw SystemError(call: "getdents64", code: Int32(-count))
            }
            if count == 0 { return false }
            filled += Int(count)
        }
        return true
    }

    /// Calls `body` for each entry of the last `fill`, except `.` and `..`.
    /// - Parameter body: receives the name, which is followed by a zero byte and valid until the
    ///   next `fill`; the kind, if the file system reports it; and the inode.
    package func forEach(
        _ body: (UnsafeRawBufferPointer, FolderEntryFacts.Kind?, UInt64) -> Void
    ) {
        var offset = 0
        while offset + FolderReader.headerSize <= filled {
            let entry = UnsafeRawBufferPointer(rebasing: memory[offset..<filled])
            let size = Int(entry.load(fromByteOffset: 16, as: UInt16.self))
            guard size > FolderReader.headerSize, size <= entry.count else { break }
            offset += size
            let field = UnsafeRawBufferPointer(rebasing: entry[FolderReader.headerSize..<size])
            let length = strnlen(
                field.baseAddress!.assumingMemoryBound(to: CChar.self), field.count)
            let name = UnsafeRawBufferPointer(rebasing: field[..<length])
            if length <= 2, name.allSatisfy({ $0 == UInt8(ascii: ".") }) { continue }
            body(
                name, FolderReader.kind(entry.load(fromByteOffset: 18, as: UInt8.self)),
                entry.load(fromByteOffset: 0, as: UInt64.self))
        }
    }

    /// Maps a DT_ constant; nil for DT_UNKNOWN.
    private static func kind(_ type: UInt8) -> FolderEntryFacts.Kind? {
        switch type {
        case 0: nil
        case 4: .directory
        case 8: .file
        case 10: .symlink
        default: .other
        }
    }
}
