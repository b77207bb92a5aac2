internal import LinuxPlatform

/// Decides which datagrams a server may answer if it answers everything, such as an echo server
/// (RFC 862).
///
/// A datagram with a forged sender can make two such servers answer each other endlessly. The rule
/// prevents that: it answers no datagram that comes from a server's port.
public struct DatagramAnswerRule: Sendable, Hashable {
    /// Senders with a lower port are not answered, because the classic services use those: echo
    /// (7), chargen (19), DNS (53), NTP (123).
    private static let lowestPort: UInt16 = 1024
    /// Further ports that are not answered, such as those of similar servers.
    public var refusedPorts: Set<UInt16> = []
    /// Whether senders with the socket's own port are answered. They are probably servers of the
    /// same program.
    public var answersOwnPort = false

    /// The defaults: no answers to ports below 1024, or to the own port. Datagrams to a multicast
    /// or broadcast address, which reach many servers, are never answered. They are recognized on a
    /// socket that is bound to the wildcard address, or as ``DatagramOptions/reportsLocalAddress``
    /// says; on an adopted one, if it was made with IP_PKTINFO.
    public init() {}

    /// Whether the datagram may be answered.
    /// - Parameters:
    ///   - datagram: its sender and its destination decide.
    ///   - socket: the socket that received it.
    public func allows(
        _ datagram: borrowing ReceivedDatagram, on socket: DatagramSocket
    ) -> Bool {
        let port = datagram.senderPort
        if case .unix = socket.localEndpoint { return true }
        if port < DatagramAnswerRule.lowestPort || refusedPorts.contains(port) { return false }
        if !answersOwnPort && port == socket.localEndpoint?.port { return false }
        guard let path = datagram.inbox.facts[datagram.entry].path else { return true }
        // For a multicast or broadcast destination, the kernel reports another address as the
        // source of answers.
        return path.source == path.destination
    }
}
