/// A queue's state word. One compare-and-swap decides each transition.
///
/// | bits | meaning |
/// |---|---|
/// | 0-23 | owner: the thread that holds the queue exclusively |
/// | 24-39 | running: items and `sync` readers that share a concurrent queue now |
/// | 40 | enqueued: the queue is on its target's list, or is being drained from it |
/// | 41 | dirty: items arrived while another thread was responsible for draining them |
/// | 42 | barrier pending: the first item waits until `running` is 0 |
/// | 43 | inactive: not activated yet |
/// | 44 | held: running items share one reference to the queue |
/// | 45 | full: the first items wait until `running` has room for a batch |
/// | 48-62 | suspend count |
///
/// An idle queue's word is 0. Invariant: a queue that has items, but no owner, and is not enqueued,
/// is dirty, and is suspended, inactive, full or waiting for a barrier. A transition that takes the
/// queue acquires, one that lets it go releases.
struct QueueState: Equatable {
    var word: UInt64

    @inline(__always)
    init(_ word: UInt64) { self.word = word }

    static let ownerMask: UInt64 = 0xff_ffff
    static let oneRunning: UInt64 = 1 << 24
    static let runningMask: UInt64 = 0xffff << 24
    /// The bits that may be set while a reader can enter without waiting.
    static let sharedMask: UInt64 = runningMask | held
    static let enqueued: UInt64 = 1 << 40
    static let dirty: UInt64 = 1 << 41
    static let barrierPending: UInt64 = 1 << 42
    static let inactive: UInt64 = 1 << 43
    static let held: UInt64 = 1 << 44
    static let full: UInt64 = 1 << 45
    /// Another thread will drain the queue's items.
    static let attendedMask: UInt64 = ownerMask | enqueued | barrierPending | full
    static let oneSuspend: UInt64 = 1 << 48
    static let suspendMask: UInt64 = 0x7fff << 48

    /// What the bits of `running` hold.
    static let runningCapacity = Int(runningMask / oneRunning)
    /// Limit of the items and readers of a concurrent queue that run at once. Half of the capacity:
    /// the rest is for readers that are on the queue already, which may not wait.
    static let maximumRunning = 0x8000
    static let maximumSuspends: UInt64 = 0x7fff

    var owner: UInt32 {
        get { UInt32(truncatingIfNeeded: word & QueueState.ownerMask) }
        set { word = word & ~QueueState.ownerMask | UInt64(newValue) & QueueState.ownerMask }
    }
    var running: Int { Int((word & QueueState.runningMask) >> 24) }
    func hasRoom(for count: Int) -> Bool { running + count <= QueueState.maximumRunning }
    var suspends: UInt64 { (word & QueueState.suspendMask) >> 48 }
    var isEnqueued: Bool { word & QueueState.enqueued != 0 }
    var isDirty: Bool { word & QueueState.dirty != 0 }
    var isBarrierPending: Bool { word & QueueState.barrierPending != 0 }
    var isHeld: Bool { word & QueueState.held != 0 }
    var isFull: Bool { word & QueueState.full != 0 }
    var isInactive: Bool { word & QueueState.inactive != 0 }
    /// Suspended or inactive: no item may start.
    var isStopped: Bool { word & (QueueState.suspendMask | QueueState.inactive) != 0 }
    var isAttended: Bool { word & QueueState.attendedMask != 0 }

    mutating func set(_ bits: UInt64) { word |= bits }
    mutating func clear(_ bits: UInt64) { word &= ~bits }
}
