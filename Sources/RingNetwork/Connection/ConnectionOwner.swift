internal import RingDispatch

/// A listener, as the connections see it that it has accepted.
protocol ConnectionOwner: AnyObject {
    var queue: DispatchQueue { get }
    /// The connection's descriptor is closed, and its close handler has run. On the connection's
    /// queue.
    func closed(_ connection: Connection)
}
