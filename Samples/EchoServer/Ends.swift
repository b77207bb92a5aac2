import RingNetwork

/// Counts of closed connections by cause.
struct Ends: Sendable {
    /// Closed by the client or the server without loss.
    var orderly = 0
    /// Closed by a time-out or a missed minimum rate.
    var late = 0
    /// Closed by a reset or an error.
    var failed = 0

    mutating func count(_ reason: CloseReason) {
        switch reason {
        case .closed, .ended: orderly += 1
        case .timedOut: late += 1
        default: failed += 1
        }
    }
}
