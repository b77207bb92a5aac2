/// Whether a loop's news comes from one or two senders in turn, or from many.
///
/// A lone peer asks again when it has its answer: the time between is all waiting, and spinning
/// shortens it. Of many peers each has its own time: news that comes a moment later shares the
/// wake-up with others, and a spin before it only costs CPU.
struct ArrivalPattern {
    /// The sender that stands for all other threads of the process.
    static let threads: UInt64 = 0

    private var last = ArrivalPattern.threads
    private var lastButOne = ArrivalPattern.threads
    /// Grows with each sender known from the last two times, and falls faster with others.
    private var familiarity = ArrivalPattern.enough

    private static let enough = 8
    private static let most = 16
    private static let penalty = 4

    /// Whether it is likely that the next news is an answer to this loop's.
    var isRoundTrip: Bool { familiarity >= Self.enough }

    /// News that came alone.
    @inline(__always)
    mutating func note(_ sender: UInt64) {
        if sender == last {
            familiarity = min(familiarity + 1, Self.most)
        } else {
            let isKnown = sender == lastButOne
            lastButOne = last
            last = sender
            familiarity =
                isKnown ? min(familiarity + 1, Self.most) : max(familiarity - Self.penalty, 0)
        }
    }

    /// News of several senders at once.
    @inline(__always)
    mutating func noteSeveral() { familiarity = max(familiarity - Self.penalty, 0) }
}
