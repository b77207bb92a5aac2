internal import RingDispatch

/// A listener, as the connections see it that it has accepted.
protocol ConnectionOwner: AnyObject {
    var queue: DispatchQueue { get }
    /// The connection's setup is over: it is active, or sends what it has before it closes. On the
    /// thread that ended the setup.
    func activated(_ connection: Connection)
    /// A descriptor is closed. From any thread.
    /// - Parameter connection: its close handler has run; nil: it was released before its
    ///   activation.
    func closed(
        _ connection: Connection?, _ statistics: ConnectionStatistics, from peer: Endpoint?)
}
