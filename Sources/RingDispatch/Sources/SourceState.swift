/// A source's state word.
///
/// | bit | meaning |
/// |---|---|
/// | 0 | inactive: not activated yet |
/// | 1 | cancelled |
/// | 2 | abandoned: cancelled because its last reference went; no cancel handler runs |
/// | 3 | enqueued: on its queue, or being invoked; the thread that sets it sees to the invocation |
/// | 4 | dirty: an event happened while the source was enqueued |
/// | 5 | armed: the kernel, or a timer queue, will report the next event |
/// | 6 | done: cancelled and detached, and its handlers are released |
/// | 8-31 | suspend count |
struct SourceState {
    var word: UInt32

    @inline(__always)
    init(_ word: UInt32) { self.word = word }

    static let inactive: UInt32 = 1 << 0
    static let cancelled: UInt32 = 1 << 1
    static let abandoned: UInt32 = 1 << 2
    static let enqueued: UInt32 = 1 << 3
    static let dirty: UInt32 = 1 << 4
    static let armed: UInt32 = 1 << 5
    static let done: UInt32 = 1 << 6
    static let oneSuspend: UInt32 = 1 << 8
    static let mostSuspends: UInt32 = (1 << 24) - 1

    var isInactive: Bool { word & SourceState.inactive != 0 }
    var isCancelled: Bool { word & SourceState.cancelled != 0 }
    var isAbandoned: Bool { word & SourceState.abandoned != 0 }
    var isEnqueued: Bool { word & SourceState.enqueued != 0 }
    var isDirty: Bool { word & SourceState.dirty != 0 }
    var isArmed: Bool { word & SourceState.armed != 0 }
    var isDone: Bool { word & SourceState.done != 0 }
    var suspends: UInt32 { word >> 8 }
    var isStopped: Bool { isInactive || suspends > 0 }

    /// Requests an invocation, unless the source is stopped or done.
    @inline(__always)
    mutating func noteEvent() {
        guard !isStopped && !isDone else { return }
        word |= isEnqueued ? SourceState.dirty : SourceState.enqueued
    }
}
