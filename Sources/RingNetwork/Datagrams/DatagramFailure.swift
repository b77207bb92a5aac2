/// What a ``DatagramSocket`` tells its error handler. The socket goes on.
public struct DatagramFailure: Error, Hashable {
    /// Whom it is about; nil where the kernel does not say.
    public let endpoint: Endpoint?
    /// How many datagrams were not sent. 0: it is about one that was sent before, and was refused
    /// by the peer's machine or on its way (ICMP), or about receiving.
    public let unsentDatagrams: Int
    public let cause: SocketError
}

extension DatagramFailure: CustomStringConvertible {
    public var description: String {
        "\(endpoint.map { "\($0)" } ?? "datagram socket"): \(cause)"
            + (unsentDatagrams > 0 ? " (\(unsentDatagrams) not sent)" : "")
    }
}
