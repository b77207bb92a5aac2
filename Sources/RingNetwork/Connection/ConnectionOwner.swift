internal import RingDispatch

/// A listener, as the connections see it that it has accepted.
protocol ConnectionOwner: AnyObject {
    var queue: DispatchQueue { get }
    /// The connection's setup is over: it is active, or sends what it has before it closes. On the
    /// thread that ended the setup.
    func activated(_ connection: Connection)
    /// A connection was released before its activation, and its descriptor is closed.
    func dropped(_ statistics: ConnectionStatistics, from peer: Endpoint?)
    /// The connection's descriptor is closed, and its close handler has run. On the connection's
    /// queue.
    func closed(_ connection: Connection)
}
