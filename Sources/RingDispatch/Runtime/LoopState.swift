/// The loop's state word: who may touch what the loop owns.
///
/// | bits | meaning |
/// |---|---|
/// | 0-2 | phase |
/// | 3-18 | the worker that holds the loop (0 when nobody does) |
/// | 19-63 | how often the loop was let go for user code: tells one handler from the next |
///
/// Everything a loop owns is touched only by the thread that put the word into `loop`, or into
/// `stealing`. Taking (acquiring) pairs with letting go (releasing).
struct LoopState: Equatable {
    let word: UInt64

    enum Phase: UInt64 {
        /// Nobody holds the loop; no thread waits on its kernel.
        case idle = 0
        /// A replacement worker is on its way to the loop.
        case assigned = 1
        /// The worker runs the loop's own code.
        case running = 2
        /// The worker runs user code; another may visit the loop, or take it over.
        case inHandler = 3
        /// Another worker takes work items out, while the holder is in user code. Lasts a moment.
        case stealing = 4
        /// The worker sleeps in the kernel, on the loop's events.
        case parked = 5
        /// The same, and somebody woke it.
        case woken = 6
    }

    @inline(__always)
    init(word: UInt64) {
        self.word = word
    }

    @inline(__always)
    init(_ phase: Phase, worker: UInt64 = 0, turn: UInt64) {
        word = phase.rawValue | worker << 3 | turn << 19
    }

    @inline(__always)
    var phase: Phase { Phase(rawValue: word & 7) ?? .idle }
    @inline(__always)
    var worker: UInt64 { word >> 3 & 0xffff }
    @inline(__always)
    var turn: UInt64 { word >> 19 }

    /// The same holder and turn in another phase.
    @inline(__always)
    func with(_ phase: Phase) -> LoopState {
        LoopState(word: word & ~7 | phase.rawValue)
    }
}
