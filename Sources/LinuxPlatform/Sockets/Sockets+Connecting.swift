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
            var progress = try continueConnect(descriptor, to: address)
            // A server of this machine has answered by now, which the next call finds.
            if progress == .pending { progress = try continueConnect(descriptor, to: address) }
            return ConnectingSocket(descriptor: descriptor, progress: progress)
        }
    }

    /// Calls connect(2), initially, after `busy`, or to see whether it is still `pending`.
    package static func continueConnect(
        _ descriptor: Int32, to address: SocketAddress
    ) throws(SystemError) -> ConnectingSocket.Progress {
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return .connected }
        let code = errno
        switch code {
        case EINPROGRESS, EALREADY, EINTR: return .pending
        case EAGAIN where address.isUnix: return .busy
        default: throw SystemError(opening: "connect", code: code)
        }
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
