/// An error reported to the error handler of a ``DatagramSocket``. The socket stays usable.
public struct DatagramFailure: Error, Hashable {
    /// The peer; nil if the kernel does not report it.
    public let endpoint: Endpoint?
    /// The number of datagrams that were not sent. 0: the error concerns receiving, or a datagram
    /// sent earlier that the peer's machine or a router rejected (ICMP).
    public let unsentDatagrams: Int
    /// The call that failed, or reported the error, with the errno value and a remedy.
    public let cause: SocketError
}

extension DatagramFailure: CustomStringConvertible {
    public var description: String {
        "\(endpoint.map { "\($0)" } ?? "datagram socket"): \(cause)"
            + (unsentDatagrams > 0 ? " (\(unsentDatagrams) not sent)" : "")
    }
}
