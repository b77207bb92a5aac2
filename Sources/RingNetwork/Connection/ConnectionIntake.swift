/// The received bytes of a connection that gathers, divides or decrypts them before it calls the
/// handler. Belongs to the connection's queue.
final class ConnectionIntake {
    /// Bytes to gather before they are delivered.
    var minimumBytes = 1
    /// The most that one call of the handler gets, unless more were gathered.
    var maximumBytes = Int.max
    /// Received bytes that were not delivered yet.
    var gathered: [UInt8] = []
    /// Gets the next bytes that are handed over, in place of the handler and even during a pause: a
    /// task receives.
    var taker: ((RawSpan) -> Void)?
    /// A receive handler is running.
    var isDelivering = false
    /// The peer ended its stream, and the end was not reported yet.
    var isEndHeld = false
    /// The held end is this error.
    var heldError: SocketError?

    /// Enough bytes are gathered, or no more will come.
    var canHandOver: Bool {
        !gathered.isEmpty && (gathered.count >= minimumBytes || isEndHeld)
    }
}
