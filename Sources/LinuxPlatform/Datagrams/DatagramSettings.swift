/// Settings of a datagram socket.
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
    /// UDP_GRO, if the kernel supports it.
    package var combinesReceived = false
    /// The mode of a Unix socket's file, regardless of the umask; nil: the umask decides.
    package var unixMode: UInt32?
    /// Whether the file of a Unix socket without a program is replaced.
    package var replacesStaleUnixSocket = false
    /// Sets further options, before bind(2).
    package var prepare: @Sendable (Int32) -> Void = { _ in }

    package init() {}
}
