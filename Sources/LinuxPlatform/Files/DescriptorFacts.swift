internal import Glibc

/// What a descriptor, or a path, stands for.
package struct DescriptorFacts: Sendable {
    package enum Kind: Sendable {
        /// A regular file, a block device or a directory: always ready, has a position.
        case file
        case socket
        /// A pipe, a terminal, a device, an eventfd ...: has to be waited for.
        case stream
    }

    package let kind: Kind
    package let isDirectory: Bool
    /// Bytes of a regular file; 0 for all else.
    package let size: Int64

    /// What a descriptor is; throws EBADF when it is none.
    package init(descriptor: Int32) throws(SystemError) {
        var facts = stat()
        try checked("fstat") { fstat(descriptor, &facts) }
        self.init(facts)
    }

    /// What a path leads to.
    /// - Parameter openFlags: those the path is to be opened with.
    package init(path: UnsafePointer<CChar>, openFlags: Int32) throws(SystemError) {
        var facts = stat()
        let followsLinks = openFlags & O_NOFOLLOW == 0
        try checked("stat") { followsLinks ? stat(path, &facts) : lstat(path, &facts) }
        self.init(facts)
    }

    private init(_ facts: stat) {
        isDirectory = facts.st_mode & S_IFMT == S_IFDIR
        size = facts.st_mode & S_IFMT == S_IFREG ? Int64(facts.st_size) : 0
        switch facts.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK, S_IFDIR: kind = .file
        case S_IFSOCK: kind = .socket
        default: kind = .stream
        }
    }

    /// Whether open(2) with these flags would make the file if it is not there.
    package static func creates(_ openFlags: Int32) -> Bool { openFlags & O_CREAT != 0 }

    /// What the library adds to a program's flags: an open that does not wait for a pipe's other
    /// end, and a descriptor that no other program inherits.
    package static func completed(_ openFlags: Int32) -> Int32 {
        openFlags | O_NONBLOCK | O_CLOEXEC
    }
}
