/// What a connection has done and wants at one moment.
struct ConnectionActivity {
    var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var hasUnsent = false
    /// Nothing was unsent at some time since the last look.
    var hasDrained = false
    var wantsToReceive = false
    /// It did not want to at some time since the last look.
    var hasPaused = false
    /// The number of the message that is being received; nil: none.
    var message: UInt64?
    var isHandshaking = false
}
