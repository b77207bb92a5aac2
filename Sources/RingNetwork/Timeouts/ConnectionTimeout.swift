/// The one of ``ConnectionTimeouts`` that expired.
public enum ConnectionTimeout: Sendable, Hashable {
    /// ``ConnectionTimeouts/idle``: no byte in either direction.
    case idle
    /// ``ConnectionTimeouts/receive``: the peer sent nothing.
    case receive
    /// ``ConnectionTimeouts/send``: the peer took nothing.
    case send
    /// ``ConnectionTimeouts/handshake``: the TLS handshake did not end.
    case handshake
    /// ``ConnectionTimeouts/receiveRate``: the peer sent a message too slowly.
    case receiveRate
    /// ``ConnectionTimeouts/sendRate``: the peer took unsent bytes too slowly.
    case sendRate
}
