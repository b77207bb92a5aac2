internal import CLinux
internal import Glibc

/// Datagram sockets: udp(7), and those of unix(7).
package enum Datagrams {
    /// Makes a socket with O_NONBLOCK and close-on-exec.
    /// - Parameters:
    ///   - local: the local address; nil: the kernel chooses.
    ///   - peer: the address to connect to; nil: none.
    package static func open(
        at local: SocketAddress?, connectingTo peer: SocketAddress?, _ settings: DatagramSettings
    ) throws(SystemError) -> Int32 {
        let family = (local ?? peer)?.family ?? UInt16(AF_UNSPEC)
        return try Sockets.open(SOCK_DGRAM, family) { descriptor throws(SystemError) in
            try prepare(descriptor, family, settings)
            func connectToPeer() throws(SystemError) {
                guard let peer else { return }
                try checked("connect") { peer.withSockaddr { connect(descriptor, $0, $1) } }
            }
            if let local {
                try Sockets.bind(
                    descriptor, SOCK_DGRAM, to: local, mode: settings.unixMode,
                    replacesStale: settings.replacesStaleUnixSocket, then: connectToPeer)
            } else {
                try connectToPeer()
            }
            return descriptor
        }
    }

    private static func prepare(
        _ descriptor: Int32, _ family: UInt16, _ settings: DatagramSettings
    ) throws(SystemError) {
        func set(_ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
            try Sockets.require(descriptor, level, name, value)
        }
        let isIPv6 = family == UInt16(AF_INET6)
        if let bytes = settings.receiveBufferBytes { try set(SOL_SOCKET, SO_RCVBUF, bytes) }
        if let bytes = settings.sendBufferBytes { try set(SOL_SOCKET, SO_SNDBUF, bytes) }
        if isIPv6 || family == UInt16(AF_INET) {
            if settings.reusesAddress { try set(SOL_SOCKET, SO_REUSEADDR, 1) }
            if settings.reusesPort { try set(SOL_SOCKET, SO_REUSEPORT, 1) }
            if settings.allowsBroadcast { try set(SOL_SOCKET, SO_BROADCAST, 1) }
            if isIPv6 {
                try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, settings.isIPv6Only ? 1 : 0)
            }
            // Optional: the drop counter, and options for speed.
            Sockets.setOption(descriptor, SOL_SOCKET, SO_RXQ_OVFL, 1)
            if settings.combinesReceived {
                Sockets.setOption(descriptor, Int32(IPPROTO_UDP), Int32(CLINUX_UDP_GRO), 1)
            }
            // Otherwise the socket also receives for groups that other sockets have joined.
            Sockets.setOption(descriptor, Int32(IPPROTO_IP), Int32(CLINUX_IP_MULTICAST_ALL), 0)
            Sockets.setOption(descriptor, Int32(IPPROTO_IPV6), Int32(CLINUX_IPV6_MULTICAST_ALL), 0)
            if settings.reportsPath {
                if isIPv6 { try set(Int32(IPPROTO_IPV6), Int32(CLINUX_IPV6_RECVPKTINFO), 1) }
                if !isIPv6 || !settings.isIPv6Only { try set(Int32(IPPROTO_IP), IP_PKTINFO, 1) }
            }
        }
        settings.prepare(descriptor)
    }

    /// Whether the kernel can segment sent messages (UDP_SEGMENT, Linux 4.18).
    package static func canSegment(_ descriptor: Int32) -> Bool {
        Sockets.option(descriptor, Int32(IPPROTO_UDP), Int32(CLINUX_UDP_SEGMENT)) != nil
    }

    /// Whether the kernel coalesces received datagrams on this socket (UDP_GRO, Linux 5.0).
    package static func isCombining(_ descriptor: Int32) -> Bool {
        Sockets.option(descriptor, Int32(IPPROTO_UDP), Int32(CLINUX_UDP_GRO)) ?? 0 != 0
    }

    /// Whether it is a SOCK_DGRAM socket.
    package static func isDatagramSocket(_ descriptor: Int32) -> Bool {
        Sockets.option(descriptor, SOL_SOCKET, SO_TYPE) == Int32(SOCK_DGRAM.rawValue)
    }

    /// Discards the socket's error queue (MSG_ERRQUEUE), at most 64 errors. It is filled only if
    /// the program sets IP_RECVERR, and then keeps the socket ready.
    package static func dropErrorQueue(_ descriptor: Int32) {
        var message = msghdr()
        let flags = Int32(MSG_ERRQUEUE | MSG_DONTWAIT)
        for _ in 0..<64 where recvmsg(descriptor, &message, flags) < 0 {
            if errno != EINTR { return }
        }
    }
}
