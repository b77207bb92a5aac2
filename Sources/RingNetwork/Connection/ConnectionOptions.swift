/// Options that connections have in common; see ``Listener`` and ``Connection``.
public struct ConnectionOptions: Sendable {
    /// ``Connection/isWritable`` becomes false above this many unsent bytes.
    public var sendHighWaterBytes = 256 * 1024
    /// At or below this many unsent bytes, the connection is writable again and calls its writable
    /// handler.
    public var sendLowWaterBytes = 64 * 1024
    /// Whether receiving stops while the connection is not writable: a peer that does not read
    /// answers can then send no more questions. Turn it off for protocols in which both sides send
    /// much without waiting for each other.
    public var pausesReceivingWhileUnwritable = true
    /// Most bytes per call of the receive handler; at least 1.
    public var receiveMaximumBytes = Int.max
    /// Fewest bytes per call of the receive handler: bytes are gathered until this many have
    /// arrived, or the peer has ended its stream. Takes precedence over the maximum.
    public var receiveMinimumBytes = 1
    /// Limits on how long the connection waits for its peer.
    public var timeouts = ConnectionTimeouts()

    /// The defaults: marks of 256 and 64 KiB, bytes as they arrive, and only the time-out of TLS
    /// handshakes.
    public init() {}
}
