/// Whether a loop's events arrive from one or two senders in turn, or from many.
///
/// A lone peer sends its next request after the answer to the last one. The time in between is pure
/// waiting, which a spin shortens. Many peers send independently: an event that arrives a moment
/// later shares its wake-up with others, and a spin only costs CPU time.
struct ArrivalPattern {
    /// The sender that stands for all other threads of the process.
    static let threads: UInt64 = 0

    private var last = ArrivalPattern.threads
    private var lastButOne = ArrivalPattern.threads
    /// Grows with each event of one of the last two senders, and falls faster with others.
    private var familiarity = Tuning.familiar

    /// Whether the next event is probably a reply to the loop's last output.
    var isRoundTrip: Bool { familiarity >= Tuning.familiar }

    /// An event that arrived alone. Several at once say nothing.
    @inline(__always)
    mutating func note(_ sender: UInt64) {
        if sender == last {
            familiarity = min(familiarity + 1, Tuning.mostFamiliar)
        } else {
            let isKnown = sender == lastButOne
            lastButOne = last
            last = sender
            familiarity =
                isKnown
                ? min(familiarity + 1, Tuning.mostFamiliar)
                : max(familiarity - Tuning.unfamiliarPenalty, 0)
        }
    }

    /// A stream of bytes: its sender waits for no answer.
    @inline(__always)
    mutating func noteIndependent() { familiarity = max(familiarity - Tuning.unfamiliarPenalty, 0) }
}
