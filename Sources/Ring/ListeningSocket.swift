internal import CRing
internal import Glibc

/// How a listening socket is made.
package struct ListeningSettings: Sendable {
    /// Connections that wait to be accepted; the kernel has a limit of its own.
    package var backlog: Int32
    /// SO_REUSEADDR.
    package var reusesAddress = true
    /// SO_REUSEPORT: several sockets, of one user, share the port and its connections.
    package var reusesPort = false
    /// IPV6_V6ONLY: an IPv6 socket takes no IPv4 connections.
    package var isIPv6Only = true
    /// TCP_NODELAY, which accepted sockets inherit.
    package var sendsAtOnce = true
    /// The mode of a Unix socket's file, whatever the umask; nil: what the umask leaves.
    package var unixMode: UInt32?
    /// Whether the file of a Unix socket whose server is gone is replaced.
    package var replacesStaleUnixSocket = false
    /// Sets further options, before bind(2).
    package var prepare: @Sendable (Int32) -> Void = { _ in }

    package init(backlog: Int32 = ListeningSettings.longestBacklog) {
        self.backlog = backlog
    }

    /// What the kernel allows: net.core.somaxconn.
    package static let longestBacklog: Int32 = {
        let text = SystemFile.firstLine(of: "/proc/sys/net/core/somaxconn")
        return text.flatMap { Int32($0) } ?? SOMAXCONN
    }()
}

extension Sockets {
    /// A socket that listens at an address: its descriptor, with O_NONBLOCK and closed by exec.
    package static func listen(
        at address: SocketAddress, _ settings: ListeningSettings
    ) throws(KernelError) -> Int32 {
        let kind = Int32(
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = try checked("socket") { socket(Int32(address.family), kind, 0) }
        do throws(KernelError) {
            if address.family != UInt16(AF_UNIX) {
                try set(descriptor, SOL_SOCKET, SO_REUSEADDR, settings.reusesAddress)
                if settings.reusesPort { try set(descriptor, SOL_SOCKET, SO_REUSEPORT, true) }
                if settings.sendsAtOnce { sendAtOnce(descriptor) }
            }
            if address.family == UInt16(AF_INET6) {
                try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, settings.isIPv6Only)
            }
            settings.prepare(descriptor)
            if case .unixPath(let path) = address.parts {
                try listen(descriptor, at: path, address, settings)
            } else {
                try bind(descriptor, to: address)
                try checked("listen") { Glibc.listen(descriptor, settings.backlog) }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func bind(
        _ descriptor: Int32, to address: SocketAddress
    ) throws(KernelError) {
        try checked("bind") { address.withSockaddr { Glibc.bind(descriptor, $0, $1) } }
    }

    private static func listen(
        _ descriptor: Int32, at path: [UInt8], _ address: SocketAddress,
        _ settings: ListeningSettings
    ) throws(KernelError) {
        if let mode = settings.unixMode {
            // The file gets the socket's mode, less the umask: it never allows more than is wanted.
            try checked("fchmod") { fchmod(descriptor, mode_t(mode)) }
        }
        do throws(KernelError) {
            try bind(descriptor, to: address)
        } catch {
            guard error.code == EADDRINUSE, settings.replacesStaleUnixSocket,
                let file = UnixSocketFile(path), file.isStale
            else { throw error }
            file.remove()
            try bind(descriptor, to: address)
        }
        let file = UnixSocketFile(path)
        do throws(KernelError) {
            // Before anybody can connect.
            if let mode = settings.unixMode { try file?.widen(to: mode) }
            try checked("listen") { Glibc.listen(descriptor, settings.backlog) }
        } catch {
            file?.remove()
            throw error
        }
    }

    private static func set(
        _ descriptor: Int32, _ level: Int32, _ name: Int32, _ isOn: Bool
    ) throws(KernelError) {
        let code = setOption(descriptor, level: level, name: name, value: isOn ? 1 : 0)
        if code != 0 { throw KernelError(call: "setsockopt", code: code) }
    }

    /// Makes sure that accept(2) on a listening socket of somebody else's does not block.
    package static func setNonBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }

    package static func localAddress(of descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        return address.fill { getsockname(descriptor, $0, $1) } == 0 ? address : nil
    }

    package static func remoteAddress(of descriptor: Int32) -> SocketAddress? {
        var address = SocketAddress()
        return address.fill { getpeername(descriptor, $0, $1) } == 0 ? address : nil
    }

    /// Accepts one connection that waits: its descriptor, or a negated errno.
    package static func accept(_ listener: Int32) -> Int32 { cring_accept(listener) }

    /// A descriptor for nothing but to be closed when there are no others; nil: none is left.
    package static func reserve() -> Int32? {
        let descriptor = cring_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
        return descriptor < 0 ? nil : descriptor
    }
}
