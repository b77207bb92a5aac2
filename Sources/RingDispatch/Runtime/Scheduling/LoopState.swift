/// The state of an event loop, one 64-bit word: its phase, its holder, and a turn number.
///
/// | bits | field |
/// |---|---|
/// | 0-2 | phase |
/// | 3-18 | index of the worker that holds the loop; 0 if none does |
/// | 19-63 | turn: raised for each handler and each new holder, so no two handlers share a word |
///
/// Every transition is one atomic store, exchange or compare-and-swap of the word. The loop's plain
/// fields may be touched only by the holder in the phases `running`, `parked` and `woken`, and by
/// the thread that has changed the word to `stealing` or `assigned`. Taking the loop (acquiring)
/// pairs with letting it go (releasing).
struct LoopState: Equatable {
    let word: UInt64

    enum Phase: UInt64 {
        /// No worker holds the loop, and no thread waits for its events. Next: `assigned` when work
        /// arrives, or `running` when the worker that handed the loop off returns to it.
        case idle = 0
        /// A worker was called and has not arrived. Next: `running`, or `idle` if no thread is
        /// available.
        case assigned = 1
        /// The holder runs the loop's own code. Next: `inHandler` or `parked`.
        case running = 2
        /// The holder runs a work item, which is user code. Next: `running`, by the holder when the
        /// item returns, or by another worker that takes over a holder that stays; `stealing`; or
        /// `idle` when the holder hands the loop off before it blocks.
        case inHandler = 3
        /// Another worker or the monitor takes items out of the run queue, usually within
        /// microseconds. Next: the same word as before, in phase `inHandler`.
        case stealing = 4
        /// The holder waits in the kernel for an event. Next: `running` after an event, or
        /// `woken`.
        case parked = 5
        /// A thread has woken the parked holder, which is on its way back. Next: `running`.
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
