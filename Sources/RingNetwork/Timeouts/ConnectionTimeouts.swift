internal import LinuxPlatform
public import RingDispatch

/// Limits on how long a ``Connection`` waits for its peer. All except `handshake` and `send` are
/// off (`.never`, nil) by default, because the right span depends on the protocol; set `idle` on a
/// public server. A span that is not above 0 ends the process when the listener, the connector or
/// the connection is made, or in `setTimeouts`. `.never` is no limit.
///
/// An expired time-out closes the connection with ``CloseReason/timedOut(_:)``. Messages do not
/// read the clock: the connection samples its counters eight times per shortest span, at most once
/// a millisecond. So a time-out never fires early, and late by at most two samples and 2 ms: about
/// a quarter of the shortest span. Time in which other work keeps the connection's queue busy does
/// not count. `DispatchTimeInterval(duration)` converts a `Duration`.
public struct ConnectionTimeouts: Sendable, Equatable {
    /// The longest time without a byte in either direction. The connection closes as by
    /// ``Connection/close()``; if bytes are unsent, it is reset.
    public var idle = DispatchTimeInterval.never
    /// The longest time without a received byte while the connection wants to receive. Pauses do
    /// not count, whether by the program or because the connection is not writable. The connection
    /// is reset.
    public var receive = DispatchTimeInterval.never
    /// The longest time in which the kernel takes none of the unsent bytes, because the peer does
    /// not read. Counts after `close`, too, but not for bytes that wait for a TLS handshake. The
    /// connection is reset.
    public var send = DispatchTimeInterval.seconds(60)
    /// TLS only: the longest time from `activate` to the end of the handshake. The connection is
    /// reset.
    public var handshake = DispatchTimeInterval.seconds(10)
    /// The least rate at which a peer must send a message; see ``Connection/isInMessage``.
    public var receiveRate: MinimumRate?
    /// The least rate at which a peer must take unsent bytes.
    public var sendRate: MinimumRate?

    /// The defaults: 10 s for a TLS handshake, 60 s for a peer that does not read, and no other
    /// limit.
    public init() {}

    /// Ends the process if a span is impossible.
    func check() { _ = TimeoutTracker(self, began: 0, now: 0, ConnectionActivity()) }

    /// The nanoseconds of a span; nil: no limit.
    /// - Parameter name: of the option, for the message if the span is impossible.
    static func nanoseconds(
        _ interval: DispatchTimeInterval, _ name: @autoclosure () -> String
    ) -> UInt64? {
        if interval == .never { return nil }
        let count = interval.clampedNanoseconds
        guard count > 0 else {
            fatalMisuse("ConnectionTimeouts.\(name()): \(interval) is not a positive time span")
        }
        return UInt64(count)
    }
}
