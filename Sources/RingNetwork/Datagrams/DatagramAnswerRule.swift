internal import LinuxPlatform

/// Which datagrams a server answers that answers everything, such as an echo server (RFC 862).
///
/// Two such servers that are given each other's address, by a datagram with a false sender, answer
/// each other without end. They are kept apart by not answering what comes from a server's port.
public struct DatagramAnswerRule: Sendable, Hashable {
    /// Senders with a lower port are not answered: the services that machines have of old, such as
    /// echo (7), chargen (19), DNS (53) and NTP (123), have those.
    public var lowestPort: UInt16 = 1024
    /// Other ports that are not answered, such as those of other servers of the kind.
    public var refusedPorts: Set<UInt16> = []
    /// Whether senders are answered that have the port of the socket itself: most likely they are
    /// servers of the same program.
    public var answersOwnPort = false
    /// Whether datagrams are answered that were sent to a group or a broadcast address, and so
    /// reach many servers. Known with ``DatagramOptions/reportsLocalAddress`` only.
    public var answersGroups = false

    public init() {}

    /// Whether the datagram is to be answered.
    /// - Parameter socket: the one that it came to.
    public func allows(
        _ datagram: borrowing ReceivedDatagram, on socket: DatagramSocket
    ) -> Bool {
        let port = datagram.senderPort
        if case .unix = socket.localEndpoint { return true }
        if port < max(1, lowestPort) || refusedPorts.contains(port) { return false }
        if !answersOwnPort && port == socket.localEndpoint?.port { return false }
        if answersGroups { return true }
        guard let path = datagram.inbox.facts[datagram.entry].path else { return true }
        // A source that differs: the header's address is none that answers can have.
        return path.source == path.destination
    }
}
