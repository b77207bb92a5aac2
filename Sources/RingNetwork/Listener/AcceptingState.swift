internal import RingDispatch

/// A listener's pauses in accepting: nothing is accepted while it waits, or at the connection limit.
/// Belongs to its queue.
struct AcceptingState {
    var bucket: TokenBucket?
    /// Waits for a token of the bucket.
    var rateEnd: DispatchScheduledItem?
    var pauseMilliseconds = AcceptingState.shortestPauseMilliseconds
    /// Waits after a temporary error, such as a shortage of descriptors or memory.
    var pauseEnd: DispatchScheduledItem?

    /// The pause after the first failed accept; each further failure doubles it.
    static let shortestPauseMilliseconds = 10
    static let longestPauseMilliseconds = 1000
}
