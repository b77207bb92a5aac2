internal import CLinux
internal import Glibc

/// The kind of object behind a descriptor or a path, and its size.
package struct DescriptorFacts: Sendable {
    package enum Kind: Sendable {
        /// A regular file, a block device or a directory: always ready, and has a position.
        case file
        case socket
        /// A pipe, a terminal, a device, an eventfd ...: needs a wait for readiness.
        case stream
    }

    package let kind: Kind
    package let isDirectory: Bool
    /// Bytes of a regular file; 0 for every other kind.
    package let size: Int64

    /// fstat(2). Throws EBADF for a number that is not open.
    package init(descriptor: Int32) throws(SystemError) {
        var facts = stat()
        try checked("fstat") { fstat(descriptor, &facts) }
        self.init(facts)
    }

    /// stat(2).
    /// - Parameter openFlags: flags for the later open(2); O_NOFOLLOW makes this lstat(2).
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

    /// Whether open(2) with these flags creates a missing file.
    package static func creates(_ openFlags: Int32) -> Bool { openFlags & O_CREAT != 0 }

    /// Whether a file that open(2) opens with these flags may be written.
    package static func writes(_ openFlags: Int32) -> Bool { openFlags & O_ACCMODE != O_RDONLY }

    /// Adds the library's flags to the program's: O_NONBLOCK, so that open(2) does not wait for the
    /// other end of a pipe, and O_CLOEXEC.
    package static func completed(_ openFlags: Int32) -> Int32 {
        openFlags | O_NONBLOCK | O_CLOEXEC
    }

    /// The same without O_NONBLOCK; nil if the program's flags have it.
    package static func waitingFlags(_ openFlags: Int32) -> Int32? {
        openFlags & O_NONBLOCK == 0 ? openFlags | O_CLOEXEC : nil
    }
}
