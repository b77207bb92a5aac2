internal import RingDispatch
internal import RingNetwork

/// How much an HTTP server lets its clients hold. Safe for browsers and metrics collectors: both
/// reconnect after a close.
package struct HTTPLimits: Sendable {
    /// How long a client may send a request, or read an answer, more slowly than the minimum rates.
    package var patience = TimeSpan(seconds: 20)

    package init() {}

    static let connections = 256
    /// The last free connections answer only `vitalPaths`, once each.
    static let reservedConnections = 32
    static let vitalPaths = ["/healthz", "/metrics"]
    /// The kernel's buffer for unread bytes of a connection, which it doubles. If it were large, a
    /// steady reader would leave long pauses between the bytes that the kernel takes.
    static let sendBufferBytes = 64 * 1024

    /// How long the rest of a client's bytes is discarded after its last answer.
    static let discardSeconds = 5
    private static let idleSeconds = 60
    private static let requestBytesPerSecond = 100
    /// An eighth of a line with 256 kbit/s.
    private static let answerBytesPerSecond = 4096

    var timeouts: ConnectionTimeouts {
        var timeouts = ConnectionTimeouts()
        timeouts.idle = .seconds(Self.idleSeconds)
        timeouts.receiveRate = rate(Self.requestBytesPerSecond)
        timeouts.sendRate = rate(Self.answerBytesPerSecond)
        return timeouts
    }

    private func rate(_ bytesPerSecond: Int) -> MinimumRate {
        let half = TimeSpan(milliseconds: patience.nanoseconds / 2_000_000).interval
        var rate = MinimumRate(bytesPerSecond: bytesPerSecond)
        rate.grace = half
        rate.window = half
        return rate
    }
}
