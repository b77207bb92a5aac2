internal import CRing
internal import Glibc

/// How a datagram socket is made.
package struct DatagramSettings: Sendable {
    /// SO_REUSEADDR.
    package var reusesAddress = false
    /// SO_REUSEPORT.
    package var reusesPort = false
    /// IPV6_V6ONLY.
    package var isIPv6Only = false
    /// SO_BROADCAST.
    package var allowsBroadcast = false
    /// SO_RCVBUF.
    package var receiveBufferBytes: Int32?
    /// SO_SNDBUF.
    package var sendBufferBytes: Int32?
    /// IP_PKTINFO and IPV6_RECVPKTINFO.
    package var reportsPath = false
    /// UDP_GRO, where the kernel has it.
    package var combinesReceived = false
    /// Sets further options, before bind(2).
    package var prepare: @Sendable (Int32) -> Void = { _ in }

    package init() {}
}

/// Datagram sockets: udp(7), and those of unix(7).
package enum Datagrams {
    /// A socket with O_NONBLOCK that exec closes.
    /// - Parameters:
    ///   - local: where to bind it; nil: wherever the kernel likes.
    ///   - peer: whom to connect it to; nil: nobody.
    package static func open(
        at local: SocketAddress?, connectingTo peer: SocketAddress?, _ settings: DatagramSettings
    ) throws(KernelError) -> Int32 {
        let kind = Int32(
            SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let family = (local ?? peer)?.family ?? UInt16(AF_UNSPEC)
        let descriptor = try checked("socket") { socket(Int32(family), kind, 0) }
        do throws(KernelError) {
            try prepare(descriptor, family, settings)
            if let local {
                try checked("bind") { local.withSockaddr { bind(descriptor, $0, $1) } }
            }
            if let peer {
                try checked("connect") { peer.withSockaddr { connect(descriptor, $0, $1) } }
            }
        } catch {
            Sockets.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func prepare(
        _ descriptor: Int32, _ family: UInt16, _ settings: DatagramSettings
    ) throws(KernelError) {
        let isIPv6 = family == UInt16(AF_INET6)
        if let bytes = settings.receiveBufferBytes {
            try set(descriptor, SOL_SOCKET, SO_RCVBUF, bytes)
        }
        if let bytes = settings.sendBufferBytes {
            try set(descriptor, SOL_SOCKET, SO_SNDBUF, bytes)
        }
        if isIPv6 || family == UInt16(AF_INET) {
            if settings.reusesAddress { try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) }
            if settings.reusesPort { try set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
            if settings.allowsBroadcast { try set(descriptor, SOL_SOCKET, SO_BROADCAST, 1) }
            if isIPv6 {
                let isOnly: Int32 = settings.isIPv6Only ? 1 : 0
                try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isOnly)
            }
            // What only counts, or makes things faster, may be refused.
            Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_RXQ_OVFL, value: 1)
            if settings.combinesReceived { combineReceived(descriptor) }
            receiveOwnGroupsOnly(descriptor)
            if settings.reportsPath { try reportPath(descriptor, isIPv6: isIPv6) }
        }
        settings.prepare(descriptor)
    }

    private static func reportPath(_ descriptor: Int32, isIPv6: Bool) throws(KernelError) {
        if isIPv6 {
            try set(descriptor, Int32(IPPROTO_IPV6), Int32(CRING_IPV6_RECVPKTINFO), 1)
        } else {
            try set(descriptor, Int32(IPPROTO_IP), IP_PKTINFO, 1)
        }
    }

    /// Else it would also receive for the groups that other sockets of the machine have joined.
    private static func receiveOwnGroupsOnly(_ descriptor: Int32) {
        Sockets.setOption(
            descriptor, level: Int32(IPPROTO_IP), name: Int32(CRING_IP_MULTICAST_ALL), value: 0)
        Sockets.setOption(
            descriptor, level: Int32(IPPROTO_IPV6), name: Int32(CRING_IPV6_MULTICAST_ALL), value: 0)
    }

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32
    ) throws(KernelError) {
        let code = Sockets.setOption(descriptor, level: level, name: name, value: value)
        if code != 0 { throw KernelError(call: "setsockopt", code: code) }
    }

    private static func combineReceived(_ descriptor: Int32) {
        Sockets.setOption(
            descriptor, level: Int32(IPPROTO_UDP), name: Int32(CRING_UDP_GRO), value: 1)
    }

    /// Whether the kernel knows how to cut what is sent into datagrams (UDP_SEGMENT, Linux 4.18).
    package static func canSegment(_ descriptor: Int32) -> Bool {
        option(descriptor, Int32(IPPROTO_UDP), Int32(CRING_UDP_SEGMENT)) != nil
    }

    /// Whether the kernel puts datagrams together on this socket (UDP_GRO, Linux 5.0).
    package static func isCombining(_ descriptor: Int32) -> Bool {
        option(descriptor, Int32(IPPROTO_UDP), Int32(CRING_UDP_GRO)) ?? 0 != 0
    }

    /// Whether it is a socket for datagrams.
    package static func isDatagramSocket(_ descriptor: Int32) -> Bool {
        option(descriptor, SOL_SOCKET, SO_TYPE) == Int32(SOCK_DGRAM.rawValue)
    }

    private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    /// Takes the errors that wait behind those of the socket itself (MSG_ERRQUEUE, for programs
    /// that set IP_RECVERR), which else would make the socket ready for ever. At most 64 of them.
    package static func dropErrorQueue(_ descriptor: Int32) {
        var message = msghdr()
        for _ in 0..<64 where recvmsg(descriptor, &message, Int32(MSG_ERRQUEUE)) < 0 {
            if errno != EINTR { return }
        }
    }
}
