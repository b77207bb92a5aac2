internal import CLinux
internal import Glibc

extension Sockets {
    /// Makes a socket and begins to connect it, without waiting. connect(2).
    /// - Parameters:
    ///   - local: where to bind it; nil: the kernel chooses.
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

    /// Calls connect(2), for the first time or after `busy`.
    package static func continueConnect(
        _ descriptor: Int32, to address: SocketAddress
    ) throws(SystemError) -> ConnectingSocket.Progress {
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return .connected }
        let code = errno
        switch code {
        case EINPROGRESS, EINTR: return .pending
        case EAGAIN where address.isUnix: return .busy
        default:
            let isShort = ErrorCode.isDescriptorShortage(code)
            throw SystemError(
                call: "connect", code: code, remedy: isShort ? ErrorCode.shortageRemedy : nil)
        }
    }

    /// How the attempt of a `pending` socket that is writable has ended: 0: it is connected; or an
    /// errno.
    package static func connectResult(of descriptor: Int32) -> Int32 {
        // Reading SO_ERROR clears it. EBADF: the descriptor is no socket any more.
        let code = option(descriptor, SOL_SOCKET, SO_ERROR) ?? errno
        if code != 0 { return code }
        // A socket of this machine that asks a free port of its own range for a connection may meet
        // itself (TCP's simultaneous open). Nobody listens there.
        let local = localAddress(of: descriptor)
        guard let local, !local.isUnix else { return 0 }
        return local == remoteAddress(of: descriptor) ? ECONNREFUSED : 0
    }

    private static func bind(
        _ descriptor: Int32, toLocal local: SocketAddress
    ) throws(SystemError) {
        switch local.parts {
        case .ipv4(_, port: 0), .ipv6(_, port: 0, _):
            // The port is chosen when the other end is known: more connections than ports.
            setOption(descriptor, Int32(IPPROTO_IP), bindAddressNoPort, 1)
        case .ipv4, .ipv6:
            // Connections from one port to several addresses.
            setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        default: break
        }
        try bind(descriptor, to: local)
    }

    /// IP_BIND_ADDRESS_NO_PORT of linux/in.h; for IPv6, too.
    private static let bindAddressNoPort: Int32 = 24
}
