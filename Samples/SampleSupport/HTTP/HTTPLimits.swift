internal import RingDispatch
internal import RingNetwork

/// How much an HTTP server lets its clients hold. Safe for browsers and metrics collectors: both
/// reconnect after a close.
enum HTTPLimits {
    static let connections = 256
    /// The last free connections answer only `vitalPaths`, once each.
    static let reservedConnections = 32
    static let vitalPaths = ["/healthz", "/metrics"]
    /// The kernel's buffer for unread bytes of a connection, which it doubles. If it were large, a
    /// steady reader would leave long pauses between the bytes that the kernel takes.
    static let sendBufferBytes = 64 * 1024

    private static let idleSeconds = 60
    private static let requestBytesPerSecond = 100
    /// An eighth of a line with 256 kbit/s.
    private static let answerBytesPerSecond = 4096

    static func timeouts(patience: TimeSpan) -> ConnectionTimeouts {
        func rate(_ bytesPerSecond: Int) -> MinimumRate {
            let half = TimeSpan(milliseconds: patience.nanoseconds / 2_000_000).interval
            var rate = MinimumRate(bytesPerSecond: bytesPerSecond)
            rate.grace = half
            rate.window = half
            return rate
        }
        var timeouts = ConnectionTimeouts()
        timeouts.idle = .seconds(idleSeconds)
        timeouts.receiveRate = rate(requestBytesPerSecond)
        timeouts.sendRate = rate(answerBytesPerSecond)
        return timeouts
    }
}
