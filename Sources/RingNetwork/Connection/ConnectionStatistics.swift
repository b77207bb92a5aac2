/// Counters of a ``Connection``. Bytes are those on the wire: under TLS, encrypted ones, including
/// the handshake.
public struct ConnectionStatistics: Sendable, Hashable {
    /// Bytes received.
    public internal(set) var bytesReceived: UInt64 = 0
    /// Pieces in which they arrived, one per recv(2).
    public internal(set) var receives: UInt64 = 0
    /// Bytes that the kernel has taken.
    public internal(set) var bytesSent: UInt64 = 0
    /// Calls of `send`, including those with files.
    public internal(set) var sends: UInt64 = 0
    /// Sent bytes that the kernel has not taken yet.
    public internal(set) var unsentBytes = 0
}

extension Connection {
    /// The connection's counters. From any thread; final in the close handler.
    public var statistics: ConnectionStatistics {
        ConnectionStatistics(
            bytesReceived: counters.bytesReceived.value, receives: counters.receives.value,
            bytesSent: counters.bytesSent.value, sends: counters.sends.value,
            unsentBytes: Int(counters.unsent.value))
    }
}
