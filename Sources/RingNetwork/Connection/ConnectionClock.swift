internal import RingDispatch

/// The time-outs of a connection that has some. Belongs to the connection's queue.
final class ConnectionClock {
    var timeouts = ConnectionTimeouts()
    /// When the handshake began, on CLOCK_MONOTONIC. A secured connection has its clock by then.
    var activation: UInt64 = 0
    var watch: TimeoutTracker?
    /// The next tick of `watch`; nil: no time-out is set, or only those for unsent bytes.
    var timer: DispatchScheduledItem?
    /// The timer's next tick is early enough for the time-outs of unsent bytes.
    var limitsSending = false
    /// Counts the messages that the program announces with `isInMessage`.
    var messageNumber: UInt64 = 0
    var isInMessage = false
    /// Everything was sent at some time since the last tick.
    var hasDrained = false
}
