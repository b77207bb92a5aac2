internal import LinuxPlatform

/// Options that connections have in common; see ``Listener`` and ``Connection``.
public struct ConnectionOptions: Sendable {
    /// ``Connection/isWritable`` becomes false above this many unsent bytes. 0: as soon as the
    /// kernel does not take all. `.max`: never. Limits nothing itself: `send` accepts any number.
    /// Below the default, short sends no longer leave together. A negative number ends the process.
    public var sendHighWaterBytes = 256 * 1024
    /// At or below this many unsent bytes, the connection is writable again and calls its writable
    /// handler. One above ``sendHighWaterBytes`` counts as that one. A negative number ends the
    /// process.
    public var sendLowWaterBytes = 64 * 1024
    /// Whether receiving stops while the connection is not writable: a peer that does not read
    /// answers can then send no more questions. Turn it off for protocols in which both sides send
    /// much without waiting for each other.
    public var pausesReceivingWhileUnwritable = true
    /// Most bytes per call of the receive handler. Less than 1 counts as 1. More than 64 KiB (80
    /// under TLS) makes no difference, unless bytes are gathered.
    public var receiveMaximumBytes = Int.max
    /// Fewest bytes per call of the receive handler: bytes are gathered until this many have
    /// arrived, or the peer has ended its stream. The connection keeps up to this many bytes in
    /// memory, and 64 KiB more. Takes precedence over the maximum. Less than 1 counts as 1.
    public var receiveMinimumBytes = 1
    /// Limits on how long the connection waits for its peer.
    public var timeouts = ConnectionTimeouts()

    /// The defaults: marks of 256 and 64 KiB, bytes as they arrive, and the default time-outs.
    public init() {}

    /// Ends the process if a value is impossible, before a client meets it.
    func check() {
        guard sendHighWaterBytes >= 0, sendLowWaterBytes >= 0 else {
            fatalMisuse(
                "ConnectionOptions: the water marks \(sendLowWaterBytes) and "
                    + "\(sendHighWaterBytes) must not be negative")
        }
        timeouts.check()
    }
}
