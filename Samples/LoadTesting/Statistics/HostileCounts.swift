/// Counts of the clients of one hostile profile.
public struct HostileCounts: Sendable {
    /// Connections that were made.
    public internal(set) var opened = 0
    /// Attempts to connect that failed.
    public internal(set) var refused = 0
    /// Connections that the server ended in order.
    public internal(set) var closedByServer = 0
    /// Connections that ended with an error, mostly a reset.
    public internal(set) var resetByServer = 0
    /// Bytes passed to `send`, whether they left or not.
    public internal(set) var bytesSent = 0
    /// Bytes that the server has sent and the client has read.
    public internal(set) var bytesReceived = 0

    mutating func add(_ other: HostileCounts) {
        opened += other.opened
        refused += other.refused
        closedByServer += other.closedByServer
        resetByServer += other.resetByServer
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
    }
}
