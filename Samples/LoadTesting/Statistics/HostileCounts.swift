/// Counts of the clients of one hostile profile.
public struct HostileCounts: Sendable {
    public internal(set) var opened = 0
    public internal(set) var refused = 0
    public internal(set) var closedByServer = 0
    public internal(set) var resetByServer = 0
    public internal(set) var bytesSent = 0
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
