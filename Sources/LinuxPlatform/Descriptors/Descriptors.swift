internal import CLinux
internal import Glibc

/// Calls on descriptors of any kind.
package enum Descriptors {
    /// Bytes that can be read at once (FIONREAD); nil where the kernel has no count.
    package static func bytesReadable(_ descriptor: Int32) -> UInt? {
        var count: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return nil }
        return UInt(max(0, count))
    }

    /// The same for a file. The kernel's count has 32 bits; a regular file may have more left.
    package static func bytesReadable(inFile descriptor: Int32) -> UInt? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return bytesReadable(descriptor)
        }
        return UInt(max(0, status.st_size - max(0, lseek(descriptor, 0, SEEK_CUR))))
    }

    /// The poll(2) events that hold now, of `events` and of those that poll(2) always reports.
    package static func poll(_ descriptor: Int32, events: UInt32) -> UInt32 {
        var entry = pollfd(
            fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        guard Glibc.poll(&entry, 1, 0) > 0 else { return 0 }
        return UInt32(UInt16(bitPattern: entry.revents))
    }

    /// Whether the kernel reports the descriptor as readable even at its end: a regular file, or
    /// /dev/null.
    package static func hidesItsEnd(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return true
        case S_IFCHR: return status.st_rdev == nullDevice
        default: return false
        }
    }

    /// Character device 1, 3.
    private static let nullDevice: dev_t = 1 << 8 | 3

    package static func isOpen(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFD) >= 0
    }

    package static func close(_ descriptor: Int32) {
        // Linux closes the descriptor even when it reports EINTR.
        _ = Glibc.close(descriptor)
    }

    /// Sets or clears O_NONBLOCK, for all who share the open file description. Returns whether it
    /// was set before; nil if the descriptor is not open.
    @discardableResult
    package static func setNonBlocking(_ descriptor: Int32, _ isOn: Bool = true) -> Bool? {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { return nil }
        let wanted = isOn ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        if wanted != flags { _ = fcntl(descriptor, F_SETFL, wanted) }
        return flags & O_NONBLOCK != 0
    }

    /// Sets FD_CLOEXEC, so that child processes do not inherit the descriptor.
    package static func closeOnExec(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }

    /// A number for the file behind the descriptor (st_ino): it tells whether the descriptor's
    /// number names another file by now. For sockets; nil if the number is not open. fstat(2).
    package static func identity(_ descriptor: Int32) -> UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return UInt64(status.st_ino)
    }

    /// Room in a socket's send buffer (SO_SNDBUF less SIOCOUTQ) or in a pipe; nil for other kinds.
    package static func bytesWritable(_ descriptor: Int32) -> UInt? {
        var queued: Int32 = 0
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 {
            guard ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0 else { return nil }
            return UInt(max(0, size - queued))
        }
        let pipeSize = fcntl(descriptor, Int32(1032))  // F_GETPIPE_SZ
        guard pipeSize > 0, ioctl(descriptor, UInt(FIONREAD), &queued) == 0 else { return nil }
        return UInt(max(0, pipeSize - queued))
    }
}
