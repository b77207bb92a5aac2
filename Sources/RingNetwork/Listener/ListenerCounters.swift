/// What a ``Listener`` has done so far.
public struct ListenerCounters: Sendable, Hashable {
    /// Connections that were accepted and handed to the handler.
    public var accepted = 0
    /// Connections that were reset because of ``ListenerOptions/connectionLimitPerPeer``.
    public var refusedPerPeer = 0
    /// Connections that were closed at once because no descriptors were left.
    public var turnedAway = 0
    /// How often accepting was paused because of ``ListenerOptions/connectionLimit``.
    public var pausesForLimit = 0
    /// Likewise, because of ``ListenerOptions/acceptRate``.
    public var pausesForRate = 0
    /// Likewise, because descriptors or memory had run out.
    public var pausesForShortage = 0
    /// Connections that went before they were accepted, and other errors that pass.
    public var passingErrors = 0
    /// Connections that wait in the kernel to be accepted, now. Unix sockets do not tell.
    public var waiting = 0
}
