internal import RingDispatch

/// A listener's pauses in accepting. Belongs to its queue.
struct AcceptingState {
    /// The reasons for which nothing is accepted now.
    struct Holds: OptionSet {
        let rawValue: Int
        /// The connection limit is reached.
        static let limit = Holds(rawValue: 1)
        /// The token bucket is empty.
        static let rate = Holds(rawValue: 2)
        /// A temporary error, such as a shortage of descriptors or memory.
        static let trouble = Holds(rawValue: 4)
    }

    var holds: Holds = []
    var bucket: TokenBucket?
    var rateEnd: DispatchScheduledItem?
    var pauseMilliseconds = AcceptingState.shortestPauseMilliseconds
    var pauseEnd: DispatchScheduledItem?

    /// The pause after the first failed accept; each further failure doubles it.
    static let shortestPauseMilliseconds = 10
    static let longestPauseMilliseconds = 1000
}
