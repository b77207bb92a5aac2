internal import CLinux
internal import Glibc

/// The identity of the object at a path, to compare with an earlier one.
package struct FolderEntryFacts: Equatable, Sendable {
    package enum Kind: UInt8, Sendable { case file, directory, symlink, other }

    package var kind: Kind
    package var inode: UInt64
    /// The file system; 0 if it was not asked for.
    package private(set) var device: UInt64 = 0
    package var size: UInt64
    /// In nanoseconds since 1970.
    package var modifiedNanoseconds: Int64

    /// Whether a file has several names (hard links).
    package private(set) var hasOtherNames = false

    package init(kind: Kind, inode: UInt64, size: UInt64, modifiedNanoseconds: Int64) {
        self.kind = kind
        self.inode = inode
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// - Parameter path: ends in a zero byte.
    package init(path: [UInt8], followsLinks: Bool) throws(SystemError) {
        let facts = path.withUnsafeBytes {
            FolderEntryFacts(terminated: $0, in: AT_FDCWD, followsLinks: followsLinks)
        }
        guard let facts else { throw SystemError(call: "stat", code: errno) }
        self = facts
    }

    /// fstatat(2). Nil: `errno` has the reason.
    /// - Parameter path: a name that is followed by a zero byte, relative to `folder`.
    package init?(terminated path: UnsafeRawBufferPointer, in folder: Int32, followsLinks: Bool) {
        guard let name = path.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
        var status = stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(folder, name, &status, flags) == 0 else { return nil }
        self.init(status)
    }

    /// fstat(2) of an open descriptor.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symlink
            default: .other
            }
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        // A folder's size and time change with its entries, which have events of their own: ignore
        // them.
        let isFolder = kind == .directory
        hasOtherNames = !isFolder && status.st_nlink > 1
        size = isFolder ? 0 : UInt64(max(0, status.st_size))
        let time = status.st_mtim
        modifiedNanoseconds =
            isFolder ? 0 : Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
