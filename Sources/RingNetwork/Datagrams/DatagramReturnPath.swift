internal import LinuxPlatform

/// The destination of an answer to a datagram, and its source address: the address that the
/// datagram was sent to, if known.
public struct DatagramReturnPath: Sendable {
    let address: SocketAddress
    let path: DatagramPath?

    /// The peer; nil for an unnamed Unix socket.
    public var endpoint: Endpoint? { Endpoint(address) }
}
