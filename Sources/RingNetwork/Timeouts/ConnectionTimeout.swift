/// The one of ``ConnectionTimeouts`` that expired.
public enum ConnectionTimeout: Sendable, Hashable {
    case idle
    case receive
    case send
    case handshake
    case receiveRate
    case sendRate
}
