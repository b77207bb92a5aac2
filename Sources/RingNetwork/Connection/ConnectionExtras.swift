internal import RingDispatch

/// What few connections need, behind one reference, so that the others stay small. Belongs to the
/// connection's queue.
final class ConnectionExtras {
    var timeouts = ConnectionTimeouts()
    var activityWatch: ActivityWatch?
    /// The next look of `activityWatch`; nil: there is none.
    var timer: DispatchScheduledItem?
    /// Counts the messages that the program says begin; see `isInMessage`.
    var messageNumber: UInt64 = 0
    var isInMessage = false
    /// Receiving was paused since the timer's last look.
    var hasPaused = false
    /// Everything was sent since the timer's last look.
    var hasDrained = false

    // MARK: receiving
    /// So many bytes are gathered before they are handed over.
    var receiveMinimumBytes = 1
    /// What came and was not handed over.
    var gathered: [UInt8] = []
    /// A handler is being given bytes.
    var isDelivering = false
    /// The peer's end came, and the program was not told.
    var isEndHeld = false
    /// The program receives by `await`.
    var isAwaited = false
    var waiter: ReceiveWait?

    // MARK: security
    var layer: SecurityLayer?
    /// What was sent and is not encrypted.
    var unencrypted = OutgoingQueue()
    /// The peer was told by the layer that nothing more comes.
    var isCloseNotified = false
    /// Why the kernel has not taken all that the program has sent.
    var sendError: SocketError?
    var handshake: ((Connection) -> Void)?

    /// See `setDrainHandler`.
    var drain: ((Connection) -> Void)?
}
