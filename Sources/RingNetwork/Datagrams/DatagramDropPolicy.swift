/// Which datagrams are dropped when the socket's send queue is full.
public enum DatagramDropPolicy: Sendable, Hashable {
    /// The datagram to be sent.
    case newest
    /// The datagrams that have waited longest, for data that newer data makes worthless.
    case oldest
}
