internal import CLinux
internal import Glibc

extension Sockets {
    /// Makes a socket and starts connecting it, without blocking. connect(2).
    /// - Parameters:
    ///   - local: the local address; nil: the kernel chooses.
    ///   - prepare: sets options, before bind(2) and connect(2).
    package static func connect(
        to address: SocketAddress, from local: SocketAddress? = nil,
        prepare: (Int32) -> Void = { _ in }
    ) throws(SystemError) -> ConnectingSocket {
        try open(SOCK_STREAM, address.family) { descriptor throws(SystemError) in
            prepare(descriptor)
            if let local { try bind(descriptor, toLocal: local) }
            let progress = try continueConnect(descriptor, to: address)
            return ConnectingSocket(descriptor: descriptor, progress: progress)
        }
    }

    /// Calls connect(2), initially or after `busy`.
    package static func continueConnect(
        _ descriptor: Int32, to address: SocketAddress
    ) throws(SystemError) -> ConnectingSocket.Progress {
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return .connected }
        let code = errno
        switch code {
        case EINPROGRESS, EINTR: return .pending
        case EAGAIN where address.isUnix: return .busy
        default: throw SystemError(opening: "connect", code: code)
        }
    }

    /// The result of a `pending` attempt once the socket is writable: 0 if connected, or an errno.
    package static func connectResult(of descriptor: Int32) -> Int32 {
        // Reading SO_ERROR clears it. It fails with EBADF if the descriptor is closed.
        let code = pendingError(of: descriptor)
        if code != 0 { return code }
        // When the destination is an unused ephemeral port of this machine, the kernel may choose
        // the same port as the source, so the socket connects to itself (simultaneous open). No
        // server listens there.
        let local = localAddress(of: descriptor)
        guard let local, !local.isUnix else { return 0 }
        return local == remoteAddress(of: descriptor) ? ECONNREFUSED : 0
    }

    private static func bind(
        _ descriptor: Int32, toLocal local: SocketAddress
    ) throws(SystemError) {
        switch local.parts {
        case .ipv4(_, port: 0), .ipv6(_, port: 0, _):
            // The kernel chooses the port on connect, so connections to different peers can share
            // it.
            setOption(descriptor, Int32(IPPROTO_IP), bindAddressNoPort, 1)
        case .ipv4, .ipv6:
            // Allows connections from one port to several addresses.
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        default: break
        }
        try bind(descriptor, to: local)
    }

    /// From linux/in.h; applies to IPv6, too.
    private static let bindAddressNoPort: Int32 = 24
}
