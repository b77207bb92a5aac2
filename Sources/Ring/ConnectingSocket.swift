internal import CRing
internal import Glibc

/// How a socket that connects is made.
package struct ConnectingSettings: Sendable {
    /// Where it is bound to; nil: the kernel chooses.
    package var local: SocketAddress?
    /// TCP_NODELAY.
    package var sendsAtOnce = true
    /// Sets further options, before bind(2) and connect(2).
    package var prepare: @Sendable (Int32) -> Void = { _ in }

    package init() {}
}

/// A socket that connects, or is connected already.
package struct ConnectingSocket: Sendable {
    package let descriptor: Int32
    package let progress: ConnectProgress
}

package enum ConnectProgress: Sendable {
    case connected
    /// The socket becomes writable when it is decided.
    case pending
    /// A Unix socket whose listener's backlog is full: nothing tells when another try may help.
    case busy
}

extension Sockets {
    /// Makes a socket, closed by exec, and begins to connect it, without waiting. connect(2).
    package static func connect(
        to address: SocketAddress, _ settings: ConnectingSettings
    ) throws(KernelError) -> ConnectingSocket {
        let kind = Int32(
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try checked("socket") { socket(Int32(address.family), kind, 0) }
        do throws(KernelError) {
            if settings.sendsAtOnce && address.family != UInt16(AF_UNIX) {
                sendAtOnce(descriptor)
            }
            settings.prepare(descriptor)
            if let local = settings.local { try bind(descriptor, to: local) }
            let progress = try continueConnect(descriptor, to: address)
            return ConnectingSocket(descriptor: descriptor, progress: progress)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Calls connect(2), for the first time or after `busy`.
    package static func continueConnect(
        _ descriptor: Int32, to address: SocketAddress
    ) throws(KernelError) -> ConnectProgress {
        let result = address.withSockaddr { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return .connected }
        let code = errno
        switch code {
        case EINPROGRESS, EINTR: return .pending
        case EAGAIN where address.family == UInt16(AF_UNIX): return .busy
        default:
            let isShort = ErrorCode.isDescriptorShortage(code)
            throw KernelError(
                call: "connect", code: code, remedy: isShort ? ErrorCode.shortageRemedy : nil)
        }
    }

    /// What has become of a `pending` socket that is writable: 0: it is connected; or an errno.
    package static func connectResult(of descriptor: Int32) -> Int32 {
        let code = takeError(descriptor)
        if code != 0 { return code }
        // A socket of this machine that asks a free port of its own range for a connection may meet
        // itself (TCP's simultaneous open). Nobody listens there.
        let local = localAddress(of: descriptor)
        guard let local, local.family != UInt16(AF_UNIX) else { return 0 }
        return local == remoteAddress(of: descriptor) ? ECONNREFUSED : 0
    }

    private static func bind(
        _ descriptor: Int32, to local: SocketAddress
    ) throws(KernelError) {
        switch local.parts {
        case .ipv4(_, port: 0), .ipv6(_, port: 0, _):
            // The port is chosen when the other end is known: more connections than ports.
            setOption(
                descriptor, level: Int32(IPPROTO_IP), name: bindAddressNoPort, value: 1)
        case .ipv4, .ipv6:
            // Connections from one port to several addresses.
            setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, value: 1)
        default: break
        }
        try checked("bind") { local.withSockaddr { Glibc.bind(descriptor, $0, $1) } }
    }

    /// IP_BIND_ADDRESS_NO_PORT of linux/in.h; for IPv6, too.
    private static let bindAddressNoPort: Int32 = 24
}
