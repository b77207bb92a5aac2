internal import CLinux
internal import Glibc

/// The file of a Unix socket, identified by device and inode, so that a file that replaced it is
/// left alone.
package struct UnixSocketFile: Sendable {
    package let path: [UInt8]
    private let device: UInt64
    private let inode: UInt64

    /// Nil if the path is not a socket.
    package init?(_ path: [UInt8]) {
        var facts = stat()
        let code = UnixSocketFile.place(path).withPath { lstat($0, &facts) }
        guard code == 0, facts.st_mode & S_IFMT == S_IFSOCK else { return nil }
        self.path = path
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
    }

    /// Removes the file, unless another has replaced it. unlink(2).
    package func remove() {
        guard let now = UnixSocketFile(path), now.device == device, now.inode == inode else {
            return
        }
        _ = UnixSocketFile.place(path).withPath { Glibc.unlink($0) }
    }

    /// Whether no program listens or receives there: connect(2) of a socket of this type is
    /// refused.
    func isStale(_ type: __socket_type) -> Bool {
        guard let address = SocketAddress(unixPath: path) else { return false }
        do throws(SystemError) {
            try Sockets.open(type, address.family) { descriptor throws(SystemError) in
                _ = try Sockets.continueConnect(descriptor, to: address)
                Descriptors.close(descriptor)
            }
            return false
        } catch {
            return error.call == "connect" && error.code == ECONNREFUSED
        }
    }

    /// Sets the mode regardless of the umask, which fchmod(2) before bind(2) cannot do.
    package func widen(to mode: UInt32) throws(SystemError) {
        // Through a descriptor, so that a symbolic link at the path is not followed.
        let descriptor = try checked("open") {
            UnixSocketFile.place(path).withPath {
                open($0, Int32(CLINUX_OPEN_PATH) | O_NOFOLLOW | O_CLOEXEC)
            }
        }
        let owned = OwnedDescriptor(adopting: descriptor)
        var facts = stat()
        try checked("fstat") { fstat(owned.number, &facts) }
        guard facts.st_mode & S_IFMT == S_IFSOCK, UInt64(facts.st_ino) == inode,
            UInt64(facts.st_dev) == device
        else { throw SystemError(call: "chmod", code: ENOENT) }
        guard facts.st_mode & 0o7777 != mode else { return }
        guard FilePlace.canBeNamed else {
            throw SystemError(
                call: "chmod", code: ENOENT,
                remedy: "mount /proc: through it the mode of the socket's file is set")
        }
        try checked("chmod") {
            FilePlace.object(descriptor: owned.number).withPath { chmod($0, mode_t(mode)) }
        }
    }

    private static func place(_ path: [UInt8]) -> FilePlace {
        .path(path + [0], followsLink: false)
    }
}
