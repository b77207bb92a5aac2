internal import RingDispatch

/// State that few connections need, behind one reference to keep the others small. Belongs to the
/// connection's queue.
final class ConnectionExtras {
    var timeouts = ConnectionTimeouts()
    var activityWatch: ActivityWatch?
    /// The next tick of `activityWatch`; nil: no time-out is set.
    var timer: DispatchScheduledItem?
    /// Counts the messages that the program announces with `isInMessage`.
    var messageNumber: UInt64 = 0
    var isInMessage = false
    /// Receiving was paused at some time since the last tick.
    var hasPaused = false
    /// Everything was sent at some time since the last tick.
    var hasDrained = false

    // MARK: receiving
    /// Bytes to gather before they are delivered.
    var receiveMinimumBytes = 1
    /// Received bytes that were not delivered yet.
    var gathered: [UInt8] = []
    /// A receive handler is running.
    var isDelivering = false
    /// The peer ended its stream, and the end was not reported yet.
    var isEndHeld = false

    // MARK: security
    var layer: SecurityLayer?
    /// Sent bytes that are not encrypted yet.
    var unencrypted = OutgoingQueue()
    /// The layer has sent close_notify.
    var isCloseNotified = false
    /// The error that kept the kernel from taking the program's bytes.
    var sendError: SocketError?
}
