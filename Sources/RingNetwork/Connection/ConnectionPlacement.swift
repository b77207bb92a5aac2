package import RingDispatch

/// Where a connection's events are handled.
///
/// Connections that share a queue are handled one after the other, and may use what belongs to it
/// without further ado. If they share the lane too, no event has to change the thread.
package struct ConnectionPlacement: Sendable {
    /// Serial.
    package let queue: DispatchQueue
    /// Counted round and round; nil: connections get the lanes in turn.
    package let laneNumber: Int?

    package init(queue: DispatchQueue, laneNumber: Int? = nil) {
        self.queue = queue
        self.laneNumber = laneNumber
    }
}
