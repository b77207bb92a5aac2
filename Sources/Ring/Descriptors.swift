internal import Glibc

/// Questions about a user's descriptor.
package enum Descriptors {
    /// Bytes that can be read at once (FIONREAD); nil where the kernel cannot tell.
    package static func bytesReadable(_ descriptor: Int32) -> UInt? {
        var count: Int32 = 0
        guard ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return nil }
        return UInt(max(0, count))
    }

    /// Whether the number stands for anything.
    package static func isOpen(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFD) >= 0
    }

    /// Whether a socket waits for connections.
    package static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    /// Room in a socket's send buffer (SO_SNDBUF less SIOCOUTQ) or in a pipe; nil elsewhere.
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
