/// The lane's lease word: who may touch what the lane owns.
///
/// | bits | meaning |
/// |---|---|
/// | 0-2 | phase |
/// | 3-18 | the worker that holds the lane (0 when nobody does) |
/// | 19-63 | how often the lane was let go for user code: tells one handler from the next |
///
/// Everything a lane owns is touched only by the thread that put the word into `lane`, or into
/// `visited`. Taking (acquiring) pairs with letting go (releasing).
struct Lease: Equatable {
    let word: UInt64

    enum Phase: UInt64 {
        /// Nobody holds the lane; no thread waits on its kernel.
        case free = 0
        /// A stand-in is on its way to the lane.
        case called = 1
        /// The worker runs the lane's own code.
        case lane = 2
        /// The worker runs user code; another may visit the lane, or take it over.
        case user = 3
        /// Another worker takes jobs out, while the holder is in user code. Lasts a moment.
        case visited = 4
        /// The worker sleeps in the kernel, on the lane's events.
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
    var phase: Phase { Phase(rawValue: word & 7) ?? .free }
    @inline(__always)
    var worker: UInt64 { word >> 3 & 0xffff }
    @inline(__always)
    var turn: UInt64 { word >> 19 }

    /// The same holder and turn in another phase.
    @inline(__always)
    func with(_ phase: Phase) -> Lease {
        Lease(word: word & ~7 | phase.rawValue)
    }
}
