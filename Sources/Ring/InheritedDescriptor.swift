internal import CRing
internal import Glibc

/// A descriptor that another program has made: systemd, or the one that this one was started by.
package enum InheritedDescriptor {
    package enum Kind: Sendable {
        case listener
        case closed
        case notSocket
        /// A socket of another type than SOCK_STREAM: the type's number.
        case otherType(Int32)
        case notListening
    }

    package static func kind(of descriptor: Int32) -> Kind {
        guard Descriptors.isOpen(descriptor) else { return .closed }
        var type: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0 else {
            return .notSocket
        }
        guard type == Int32(SOCK_STREAM.rawValue) else { return .otherType(type) }
        return Descriptors.isListening(descriptor) ? .listener : .notListening
    }

    /// No program that this one starts inherits it further (FD_CLOEXEC).
    package static func closeOnExec(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }

    package static var processIdentifier: Int32 { getpid() }
}

extension Sockets {
    /// Connections that wait in a TCP listener to be accepted; 0 where the kernel does not tell.
    package static func backlogCount(of listener: Int32) -> Int {
        // struct tcp_info: eight bytes, then numbers of four; a listener's tcpi_unacked, the fifth
        // of them, is what waits.
        var words = [UInt32](repeating: 0, count: 16)
        var length = socklen_t(words.count * 4)
        let code = getsockopt(listener, Int32(IPPROTO_TCP), TCP_INFO, &words, &length)
        return code == 0 && length >= 28 ? Int(words[6]) : 0
    }

    /// Bytes that the kernel has and the peer has not confirmed; 0 where it does not tell.
    package static func unconfirmedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(max(0, count)) : 0
    }
}
