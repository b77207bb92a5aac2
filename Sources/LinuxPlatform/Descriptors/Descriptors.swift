internal import CLinux
internal import Glibc

/// Queries on a user's descriptor.
package enum Descriptors {
    /// Bytes that can be read at once (FIONREAD); nil where the kernel has no count.
    package static func bytesReadable(_ descriptor: Int32) -> UInt? {
        var count: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return nil }
        return UInt(max(0, count))
    }

    /// The poll(2) events that hold now, of `events` and of those that poll(2) always reports.
    /// - Parameter deadline: on CLOCK_MONOTONIC; until then poll(2) waits for an event. A signal
    ///   may end the wait early.
    package static func poll(
        _ descriptor: Int32, events: UInt32, until deadline: UInt64 = 0
    ) -> UInt32 {
        var entry = pollfd(
            fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        let now = deadline == 0 ? 0 : MonotonicClock.nanoseconds()
        let milliseconds = deadline > now ? (deadline - now + 999_999) / 1_000_000 : 0
        guard Glibc.poll(&entry, 1, Int32(clamping: milliseconds)) > 0 else { return 0 }
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

    /// Whether the descriptor is a listening socket (SO_ACCEPTCONN).
    package static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
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
