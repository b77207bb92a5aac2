internal import Glibc

/// Settings of a listening socket.
package struct ListeningSettings: Sendable {
    /// Most connections that wait to be accepted; the kernel limits it further.
    package var backlog = ListeningSettings.longestBacklog
    /// SO_REUSEADDR.
    package var reusesAddress = true
    /// SO_REUSEPORT: several sockets of one user share the port and its connections.
    package var reusesPort = false
    /// IPV6_V6ONLY: an IPv6 socket accepts no IPv4 connections.
    package var isIPv6Only = true
    /// The mode of a Unix socket's file, regardless of the umask; nil: the umask decides.
    package var unixMode: UInt32?
    /// Whether the file of a Unix socket without a server is replaced.
    package var replacesStaleUnixSocket = false
    /// Sets further options, before bind(2).
    package var prepare: @Sendable (Int32) -> Void = { _ in }

    package init() {}

    /// The kernel's limit: net.core.somaxconn.
    package static let longestBacklog: Int32 = {
        let text = SystemFile.firstLine(of: "/proc/sys/net/core/somaxconn")
        return text.flatMap { Int32($0) } ?? SOMAXCONN
    }()
}
