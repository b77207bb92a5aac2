/// Options of a ``DatagramSocket``.
public struct DatagramOptions: Sendable {
    // MARK: the socket

    /// Whether the address may be shared with sockets that also set this option, as several
    /// receivers of a multicast group on one machine must (SO_REUSEADDR). Only one of them receives
    /// each unicast datagram.
    public var reusesAddress = false
    /// Whether several sockets of one user share the port, with the peers spread over them
    /// (SO_REUSEPORT).
    public var reusesPort = false
    /// Whether an IPv6 endpoint accepts IPv6 only. When false, `[::]` also serves IPv4, with
    /// IPv4-mapped addresses.
    public var isIPv6Only = false
    /// The mode of a Unix socket's file, such as 0o660, regardless of the umask; nil: the umask
    /// decides. The file never has a wider mode, not even briefly.
    public var unixSocketMode: UInt32?
    /// Whether a stale Unix socket file is replaced instead of causing an error. It is stale if no
    /// socket is bound to it: without this, a program cannot start again after it was killed. If
    /// two programs start at the same moment, both may find it stale; then the later one wins.
    public var replacesStaleUnixSocket = true
    /// Whether datagrams may be sent to broadcast addresses (SO_BROADCAST).
    public var allowsBroadcast = false
    /// The size of the kernel's receive buffer (SO_RCVBUF); nil: net.core.rmem_default. The kernel
    /// reduces it to net.core.rmem_max without an error, raises very small ones, and doubles it
    /// for its own use.
    public var receiveBufferBytes: Int?
    /// The size of the kernel's send buffer (SO_SNDBUF), as above; nil: net.core.wmem_default.
    public var sendBufferBytes: Int?
    /// Whether datagrams report the local address that they were sent to, and answers are sent from
    /// it (IP_PKTINFO). nil: only if the socket is bound to the wildcard address.
    public var reportsLocalAddress: Bool?
    /// Called with the socket before it is bound, to set options that have no name here.
    /// setsockopt(2).
    public var prepare: @Sendable (Int32) -> Void = { _ in }

    // MARK: receiving

    /// The longest datagram, 1 to 65,536; longer ones are truncated. Other numbers end the process.
    /// Virtual memory for a whole batch is allocated, but only pages in use become resident.
    public var maximumDatagramBytes = 65_536
    /// Most datagrams per recvmmsg(2), 1 to 1024. Other numbers end the process.
    public var receiveBatch = 32
    /// Most batches in a row before other queues get their turn. Less than 1 ends the process.
    public var batchesInARow = 4
    /// Whether the kernel may coalesce datagrams of one sender (UDP_GRO), if it can. The receive
    /// handler gets them separately.
    public var combinesReceived = true

    // MARK: sending

    /// Whether datagrams of equal length for one peer are passed to the kernel as one message,
    /// which it segments (UDP_SEGMENT), if it can.
    public var combinesSent = true
    /// Most bytes that may wait while the kernel has no room. Each datagram counts its length plus
    /// 64; one that does not fit is dropped. 0: none waits. Negative: the process ends. The batch
    /// that finds the kernel full may exceed it: up to 512 datagrams.
    public var sendQueueBytes = 1 << 20

    /// The defaults: a socket that shares nothing, datagrams of any length, and 1 MiB that may wait
    /// to be sent.
    public init() {}
}
