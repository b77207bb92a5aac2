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

extension ConnectionTimeout: CustomStringConvertible {
    /// What did not happen in time, and the option that says so, in one line.
    public var description: String {
        switch self {
        case .idle: "no byte moved in either direction for as long as timeouts.idle"
        case .receive: "the peer sent nothing for as long as timeouts.receive"
        case .send: "the peer took nothing for as long as timeouts.send"
        case .handshake: "the TLS handshake did not end within timeouts.handshake"
        case .receiveRate: "the peer sent a message more slowly than timeouts.receiveRate"
        case .sendRate: "the peer took unsent bytes more slowly than timeouts.sendRate"
        }
    }
}
