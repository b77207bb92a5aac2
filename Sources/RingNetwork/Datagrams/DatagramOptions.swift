/// How a ``DatagramSocket`` is made, receives and sends.
public struct DatagramOptions: Sendable {
    // MARK: the socket

    /// Whether other sockets that ask for it, too, may be bound to the same address, as receivers
    /// of a group on one machine have to (SO_REUSEADDR). One of them gets each datagram that is
    /// not for a group.
    public var reusesAddress = false
    /// Whether several sockets of one user share the port, and the kernel spreads the peers over
    /// them (SO_REUSEPORT).
    public var reusesPort = false
    /// Whether an IPv6 endpoint takes IPv6 only. When false, `[::]` serves IPv4, too, whose
    /// addresses are mapped then.
    public var isIPv6Only = false
    /// Whether datagrams may be sent to broadcast addresses (SO_BROADCAST).
    public var allowsBroadcast = false
    /// The room that the kernel has for datagrams that wait to be received (SO_RCVBUF); nil: its
    /// default. The kernel doubles it, and has a limit (net.core.rmem_max).
    public var receiveBufferBytes: Int?
    /// The room for datagrams that wait to be sent (SO_SNDBUF); nil: the kernel's default.
    public var sendBufferBytes: Int?
    /// Whether a datagram tells the local address that it came to, from which answers are sent
    /// then (IP_PKTINFO). Nil: where the socket is bound to every address of the machine.
    public var reportsLocalAddress: Bool?
    /// Called with the socket before it is bound, for options that have no name here.
    /// setsockopt(2).
    public var prepareSocket: @Sendable (Int32) -> Void = { _ in }

    // MARK: receiving

    /// The longest datagram; what is beyond it is cut off. The memory for one batch is taken at
    /// once, but machines only spend what is used of it.
    public var maximumDatagramBytes = 65_536
    /// The most datagrams that one call to the kernel receives, 1 to 1024. recvmmsg(2).
    public var receiveBatch = 32
    /// How many batches are received in a row before other queues have their turn.
    public var batchesInARow = 4
    /// Whether the kernel may put datagrams of one sender together and hand them over at once,
    /// where it can (UDP_GRO). They are told apart again before the receive handler sees them.
    public var combinesReceived = true

    // MARK: sending

    /// Whether datagrams of one length for one peer are handed to the kernel as one, which cuts
    /// them, where it can (UDP_SEGMENT).
    public var combinesSent = true
    /// The bytes that may wait while the kernel takes no datagrams. Each datagram counts 64 more
    /// than it has.
    public var sendQueueBytes = 1 << 20
    /// What is dropped when more would wait.
    public var dropPolicy = DatagramDropPolicy.newest

    public init() {}
}
