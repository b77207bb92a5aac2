internal import LinuxPlatform
public import RingDispatch

/// How long a ``Connection`` waits for its peer. All but `handshake` are off (`.never`, nil) at
/// first.
///
/// A connection that is late is closed with ``CloseReason/timedOut(_:)``. No message costs a look
/// at the clock: the connection looks at its counters eight times in these spans, and a tenth
/// of that later where timers are put together. So a time-out never comes early, and at most a
/// quarter of its length late.
public struct ConnectionTimeouts: Sendable, Equatable {
    /// Nothing was received or sent for so long. The connection closes as by
    /// ``Connection/close()``; where something is unsent, it is reset.
    public var idle = DispatchTimeInterval.never
    /// Nothing was received for so long while the connection wanted to receive: it was not paused,
    /// by the program or because too much is unsent. The connection is reset.
    public var receive = DispatchTimeInterval.never
    /// The kernel took nothing for so long while something was unsent, also after `close`: the peer
    /// does not read. The connection is reset.
    public var send = DispatchTimeInterval.never
    /// TLS only: both sides did not agree within so long after `activate`. The connection is reset.
    public var handshake = DispatchTimeInterval.seconds(10)
    /// The slowest that a peer may send a message; see ``Connection/isInMessage``.
    public var receiveRate: MinimumRate?
    /// The slowest that a peer may take what is sent, while something is unsent.
    public var sendRate: MinimumRate?

    public init() {}

    /// The nanoseconds of a span; nil: it never ends.
    static func nanoseconds(_ interval: DispatchTimeInterval) -> UInt64? {
        if interval == .never { return nil }
        let count = interval.clampedNanoseconds
        if count <= 0 { fatalMisuse("ConnectionTimeouts: \(interval) is no span of time to wait") }
        return UInt64(count)
    }
}
