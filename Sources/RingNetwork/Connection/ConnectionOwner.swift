internal import RingDispatch

/// A listener, as the connections see it that it has accepted.
protocol ConnectionOwner: AnyObject {
    var queue: DispatchQueue { get }
    /// The connection is active. On the thread that activated it.
    func activated(_ connection: Connection)
    /// The connection's descriptor is closed, and its close handler has run. On the connection's
    /// queue.
    func closed(_ connection: Connection)
}
