internal import CLinux
internal import Glibc

/// What is at a path, as far as comparing it with what was there before needs.
package struct FolderEntryFacts: Equatable, Sendable {
    package enum Kind: UInt8, Sendable { case file, directory, symlink, other }

    package var kind: Kind
    package var inode: UInt64
    package var size: UInt64
    /// Since 1970.
    package var modifiedNanoseconds: Int64

    package init(kind: Kind, inode: UInt64, size: UInt64, modifiedNanoseconds: Int64) {
        self.kind = kind
        self.inode = inode
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// Of a path that ends in a zero; nil: nothing is there, or the process may not see it.
    package init?(path: [UInt8], followsLinks: Bool) {
        let facts = path.withUnsafeBytes {
            FolderEntryFacts(terminated: $0, in: AT_FDCWD, followsLinks: followsLinks)
        }
        guard let facts else { return nil }
        self = facts
    }

    /// Of a name behind which there is a zero.
    /// - Parameter folder: what the path is relative to.
    package init?(terminated path: UnsafeRawBufferPointer, in folder: Int32, followsLinks: Bool) {
        guard let name = path.baseAddress?.assumingMemoryBound(to: CChar.self) else { return nil }
        var status = stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(folder, name, &status, flags) == 0 else { return nil }
        self.init(status)
    }

    /// Of what a descriptor is open for.
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
        // Of a folder they change with its entries, which have events of their own.
        let isFolder = kind == .directory
        size = isFolder ? 0 : UInt64(max(0, status.st_size))
        let time = status.st_mtim
        modifiedNanoseconds =
            isFolder ? 0 : Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
