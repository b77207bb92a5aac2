internal import LinuxPlatform

/// Where an answer to a datagram goes, and the address that it is to come from: the one that the
/// datagram was sent to, where that is known.
public struct DatagramReturnPath: Sendable {
    let address: SocketAddress
    let path: DatagramPath?

    /// Whom it leads to; nil for a Unix socket without a name.
    public var endpoint: Endpoint? { Endpoint(address) }
}
