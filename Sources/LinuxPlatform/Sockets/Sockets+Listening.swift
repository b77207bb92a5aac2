internal import CLinux
internal import Glibc

extension Sockets {
    /// Makes a listening socket.
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
            try bind(
                descriptor, SOCK_STREAM, to: address, mode: settings.unixMode,
                replacesStale: settings.replacesStaleUnixSocket
            ) { () throws(SystemError) in
                try checked("listen") { Glibc.listen(descriptor, settings.backlog) }
            }
            return descriptor
        }
    }

    /// Accepts a waiting connection. Returns its descriptor, or a negated errno.
    /// - Parameter peer: gets the address of its other end.
    package static func accept(_ listener: Int32, peer: inout SocketAddress) -> Int32 {
        peer.fill { clinux_accept(listener, $0, $1) }
    }

    /// Whether the socket accepts connections to addresses that are not this machine's.
    /// IP_TRANSPARENT and IPV6_TRANSPARENT; see ip(7).
    package static func isTransparent(_ listener: Int32) -> Bool {
        [(Int32(IPPROTO_IP), IP_TRANSPARENT), (Int32(IPPROTO_IPV6), IPV6_TRANSPARENT)]
            .contains { level, name in option(listener, level, name) == 1 }
    }

    /// The number of connections in a TCP socket's backlog; 0 if the kernel does not report it.
    package static func backlogCount(of listener: Int32) -> Int {
        // struct tcp_info has eight bytes, then 32-bit numbers. For a listening socket the fifth,
        // tcpi_unacked, is the length of the backlog.
        var words = [UInt32](repeating: 0, count: 16)
        var length = socklen_t(words.count * 4)
        let code = getsockopt(listener, Int32(IPPROTO_TCP), TCP_INFO, &words, &length)
        return code == 0 && length >= 28 ? Int(words[6]) : 0
    }

    /// A descriptor to keep in reserve, for closing when no other is free; nil: none is free now.
    package static func reserve() -> Int32? {
        let descriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }
}
