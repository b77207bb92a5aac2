public import RingDispatch

/// One queue and one event loop for several connections; see ``Connection/placement``,
/// ``ListenerOptions/placement`` and ``ConnectorOptions/placement``.
///
/// Connections that share a serial queue never run concurrently, so their handlers can share data
/// without locks. On the same event loop, no event has to change threads either.
public struct ConnectionPlacement: Sendable {
    /// A serial queue.
    public let queue: DispatchQueue
    /// The number of an event loop, modulo their count; nil: connections get the event loops in
    /// turn.
    public let loopNumber: Int?

    /// Creates a placement.
    /// - Parameters:
    ///   - queue: a serial queue; a concurrent one ends the process.
    ///   - loopNumber: any number, modulo the count of event loops; nil: the loops in turn.
    public init(queue: DispatchQueue, loopNumber: Int? = nil) {
        queue.requireSerial()
        self.queue = queue
        self.loopNumber = loopNumber
    }
}

extension Connection {
    /// The connection's queue and event loop, to share with others; see
    /// ``Connector/connect(to:on:completion:)``. From any thread.
    public var placement: ConnectionPlacement {
        ConnectionPlacement(queue: queue, loopNumber: stream.loopNumber)
    }
}
