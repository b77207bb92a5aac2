internal import LinuxPlatform

/// One datagram, lent to a receive handler.
public struct ReceivedDatagram: ~Copyable {
    let inbox: DatagramInbox
    let entry: Int
    /// Its place among those that the kernel has put together.
    let part: Int

    /// Whether it was longer than ``DatagramOptions/maximumDatagramBytes``: its end is lost.
    public var isTruncated: Bool { inbox.isTruncated(entry, part) }

    /// Whom it is from; nil for a Unix socket without a name. Made at each call: ask once.
    public var sender: Endpoint? { Endpoint(inbox.receiver.address(at: entry)) }

    /// The sender's port, at little cost; 0 for Unix sockets.
    public var senderPort: UInt16 { inbox.receiver.port(at: entry) }

    /// The address that it was sent to, which may be a group's or a broadcast address; nil unless
    /// ``DatagramOptions/reportsLocalAddress`` asks for it.
    public var localAddress: IPAddress? {
        inbox.facts[entry].path.map { path in
            switch path.destination {
            case .ipv4(let address): .v4(IPv4Address(rawValue: address))
            case .ipv6(let address): .v6(IPv6Address(rawValue: address))
            }
        }
    }

    /// The interface that it came by; nil unless the local address is known.
    public var interface: InterfaceZone? {
        inbox.facts[entry].path.flatMap { InterfaceZone(index: $0.interface) }
    }

    /// Where an answer goes, to be kept for later. To answer at once,
    /// ``DatagramSocket/reply(_:to:)`` costs less.
    public var returnPath: DatagramReturnPath {
        DatagramReturnPath(
            address: inbox.receiver.address(at: entry), path: inbox.facts[entry].path)
    }

    /// Calls `body` with the bytes.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeBytes: memory))
    }

    var memory: UnsafeRawBufferPointer { inbox.bytes(entry, part) }
}
