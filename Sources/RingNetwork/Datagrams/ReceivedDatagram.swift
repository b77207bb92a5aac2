internal import LinuxPlatform

/// One datagram, valid only during the receive handler.
public struct ReceivedDatagram: ~Copyable {
    let inbox: DatagramInbox
    let entry: Int
    /// The index among the datagrams that the kernel coalesced.
    let part: Int

    /// Whether it was longer than ``DatagramOptions/maximumDatagramBytes`` and was truncated.
    public var isTruncated: Bool { inbox.isTruncated(entry, part) }

    /// The sender; nil for an unnamed Unix socket. Computed at each call.
    public var sender: Endpoint? { Endpoint(inbox.receiver.address(at: entry)) }

    /// The sender's port, without the cost of `sender`; 0 for Unix sockets.
    public var senderPort: UInt16 { inbox.receiver.port(at: entry) }

    /// The destination address, possibly a multicast or broadcast address. Nil unless the socket is
    /// bound to the wildcard address, or as ``DatagramOptions/reportsLocalAddress`` says. An
    /// adopted socket reports it if it was made with IP_PKTINFO.
    public var localAddress: IPAddress? {
        inbox.facts[entry].path.map { path in
            switch path.destination {
            case .ipv4(let address): .v4(IPv4Address(rawValue: address))
            case .ipv6(let address): .v6(IPv6Address(rawValue: address))
            }
        }
    }

    /// The interface that received it; nil unless the local address is known.
    public var interface: InterfaceZone? {
        inbox.facts[entry].path.flatMap { InterfaceZone(index: $0.interface) }
    }

    /// The destination for a later answer. For an answer at once, ``DatagramSocket/reply(_:to:)``
    /// is cheaper.
    public var returnPath: DatagramReturnPath {
        DatagramReturnPath(
            address: inbox.receiver.address(at: entry), path: inbox.facts[entry].path)
    }
}
