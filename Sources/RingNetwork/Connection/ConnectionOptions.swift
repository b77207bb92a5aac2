/// What connections have in common; see ``Listener`` and ``Connection``.
public struct ConnectionOptions: Sendable {
    /// Bytes of sends that the kernel has not taken from which on ``Connection/isWritable`` is
    /// false.
    public var sendHighWaterBytes = 256 * 1024
    /// At or below so many it is true again, and the writable handler is called.
    public var sendLowWaterBytes = 64 * 1024
    /// Whether nothing is received while the connection is not writable: a peer that takes no
    /// answers is not asked for more questions. Turn it off for protocols in which both sides send
    /// much without waiting for each other.
    public var pausesReceivingWhileUnwritable = true
    /// Most bytes that a receive handler is given at once; at least 1.
    public var receiveMaximumBytes = Int.max
    /// Fewest bytes that are handed over: they are gathered until so many are there, or the peer
    /// sends nothing more. Goes before the maximum.
    public var receiveMinimumBytes = 1
    /// How long the connection waits for its peer.
    public var timeouts = ConnectionTimeouts()

    public init() {}
}
