internal import CLinux
internal import Glibc

extension Sockets {
    /// Makes a socket that listens at an address.
    package static func listen(
        at address: SocketAddress, _ settings: ListeningSettings
    ) throws(SystemError) -> Int32 {
        try open(SOCK_STREAM, address.family) { descriptor throws(SystemError) in
            if !address.isUnix {
                let reuses: Int32 = settings.reusesAddress ? 1 : 0
                try require(descriptor, SOL_SOCKET, SO_REUSEADDR, reuses)
                if settings.reusesPort { try require(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
            }
            if address.family == UInt16(AF_INET6) {
                let isOnly: Int32 = settings.isIPv6Only ? 1 : 0
                try require(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isOnly)
            }
            settings.prepare(descriptor)
            if case .unixPath(let path) = address.parts {
                try listen(descriptor, at: path, address, settings)
            } else {
                try bind(descriptor, to: address)
                try checked("listen") { Glibc.listen(descriptor, settings.backlog) }
            }
            return descriptor
        }
    }

    private static func listen(
        _ descriptor: Int32, at path: [UInt8], _ address: SocketAddress,
        _ settings: ListeningSettings
    ) throws(SystemError) {
        if let mode = settings.unixMode {
            // The file gets the socket's mode, less the umask: it never allows more than is wanted.
            try checked("fchmod") { fchmod(descriptor, mode_t(mode)) }
        }
        do throws(SystemError) {
            try bind(descriptor, to: address)
        } catch {
            guard error.code == EADDRINUSE, settings.replacesStaleUnixSocket,
                let file = UnixSocketFile(path), file.isStale
            else { throw error }
            file.remove()
            try bind(descriptor, to: address)
        }
        let file = UnixSocketFile(path)
        do throws(SystemError) {
            // Before anybody can connect.
            if let mode = settings.unixMode { try file?.widen(to: mode) }
            try checked("listen") { Glibc.listen(descriptor, settings.backlog) }
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Accepts one connection that waits: its descriptor, or a negated errno.
    package static func accept(_ listener: Int32) -> Int32 { clinux_accept(listener) }

    /// Connections that wait in a TCP listener to be accepted; 0 where the kernel does not tell.
    package static func backlogCount(of listener: Int32) -> Int {
        // struct tcp_info: eight bytes, then numbers of four; a listener's tcpi_unacked, the fifth
        // of them, is what waits.
        var words = [UInt32](repeating: 0, count: 16)
        var length = socklen_t(words.count * 4)
        let code = getsockopt(listener, Int32(IPPROTO_TCP), TCP_INFO, &words, &length)
        return code == 0 && length >= 28 ? Int(words[6]) : 0
    }

    /// A descriptor for nothing but to be closed when there are no others; nil: none is left.
    package static func reserve() -> Int32? {
        let descriptor = clinux_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
        return descriptor < 0 ? nil : descriptor
    }
}
