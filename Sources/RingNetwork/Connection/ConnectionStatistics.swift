internal import LinuxPlatform

/// What a ``Connection`` has done so far. Bytes are the wire's: under TLS encrypted ones, with its
/// handshake.
public struct ConnectionStatistics: Sendable, Hashable {
    /// Bytes that came.
    public internal(set) var bytesReceived: UInt64 = 0
    /// Pieces in which they came, each by one completion of the kernel's.
    public internal(set) var receives: UInt64 = 0
    /// Bytes that the kernel took.
    public internal(set) var bytesSent: UInt64 = 0
    /// Calls of `send`, those of files included.
    public internal(set) var sends: UInt64 = 0
    /// Bytes of sends that the kernel has not taken.
    public internal(set) var unsentBytes = 0
    /// Nanoseconds since `activate`; 0 before.
    public internal(set) var activeNanoseconds: UInt64 = 0
}

extension Connection {
    /// What the connection has done so far. On the queue; in the close handler the final figures.
    public var statistics: ConnectionStatistics {
        var statistics = ConnectionStatistics()
        statistics.bytesReceived = counters.bytesReceived
        statistics.receives = counters.receives
        statistics.bytesSent = counters.bytesSent
        statistics.sends = counters.sends
        statistics.unsentBytes = unsentBytes
        if activationNanoseconds != 0 {
            statistics.activeNanoseconds = MonotonicClock.nanoseconds() &- activationNanoseconds
        }
        return statistics
    }
}
