internal import RingDispatch

/// Whether a listener accepts, and what keeps it from that. Belongs to its queue.
struct AcceptingState {
    /// Why nothing is accepted at the moment.
    struct Holds: OptionSet {
        let rawValue: Int
        /// As many connections are open as may be.
        static let limit = Holds(rawValue: 1)
        /// As many were accepted as may be for now.
        static let rate = Holds(rawValue: 2)
        /// An error that passes: descriptors or memory ran out, above all.
        static let trouble = Holds(rawValue: 4)
    }

    var holds: Holds = []
    var bucket: TokenBucket?
    var rateEnd: DispatchScheduledItem?
    var pauseMilliseconds = AcceptingState.shortestPauseMilliseconds
    var pauseEnd: DispatchScheduledItem?

    /// The wait after the first accept that failed, doubled with each further one.
    static let shortestPauseMilliseconds = 10
    static let longestPauseMilliseconds = 1000
}
