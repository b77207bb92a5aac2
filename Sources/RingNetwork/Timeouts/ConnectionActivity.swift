/// A sample of a connection's activity.
struct ConnectionActivity {
    var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var hasUnsent = false
    /// Nothing was unsent at some time since the last tick.
    var hasDrained = false
    var wantsToReceive = false
    /// Receiving was paused at some time since the last tick.
    var hasPaused = false
    /// The number of the message that is being received; nil: none.
    var message: UInt64?
    var isHandshaking = false
}
