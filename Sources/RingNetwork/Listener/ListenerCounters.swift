/// Counters of a ``Listener``.
public struct ListenerCounters: Sendable, Hashable {
    /// Connections that were accepted and passed to the handler.
    public var accepted = 0
    /// Accepted connections that are closed.
    public var closed = 0
    /// Bytes that closed connections have received; see ``ConnectionStatistics``.
    public var bytesReceived: UInt64 = 0
    /// Pieces in which they arrived. A client that waits for each answer sends one per message.
    public var receives: UInt64 = 0
    /// Bytes of closed connections that the kernel has taken.
    public var bytesSent: UInt64 = 0
    /// Calls of `send` on closed connections.
    public var sends: UInt64 = 0
    /// Connections that were reset because of ``ListenerOptions/connectionLimitPerPeer``.
    public var refusedPerPeer = 0
    /// Connections that were closed at once because no descriptor was free.
    public var turnedAway = 0
    /// Pauses in accepting because of ``ListenerOptions/connectionLimit``.
    public var pausesForLimit = 0
    /// Pauses because of ``ListenerOptions/acceptRate``.
    public var pausesForRate = 0
    /// Pauses because descriptors or memory were short.
    public var pausesForShortage = 0
    /// Temporary errors of accept(2), such as a client that left before it was accepted.
    public var passingErrors = 0
    /// Connections in the backlog now; 0 for Unix sockets.
    public var waiting = 0

    mutating func add(closed connection: ConnectionStatistics) {
        closed += 1
        bytesReceived += connection.bytesReceived
        receives += connection.receives
        bytesSent += connection.bytesSent
        sends += connection.sends
    }
}
