import RingNetwork

/// The reasons why connections ended.
struct Ends: Sendable, Equatable {
    /// By the client or by the server, with nothing lost.
    var orderly = 0
    /// By a time-out or a rate that was not kept.
    var late = 0
    /// By a reset, or an error.
    var failed = 0

    mutating func count(_ reason: CloseReason) {
        switch reason {
        case .closed, .ended: orderly += 1
        case .timedOut: late += 1
        default: failed += 1
        }
    }
}
