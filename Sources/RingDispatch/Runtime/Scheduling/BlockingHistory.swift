internal import LinuxPlatform
internal import Synchronization

/// Whether the handlers of a serial queue, or all of global and concurrent queues, keep
/// blocking. Such handlers run away from the loops; see `AwayWork`.
///
/// The mark is set when a loop was taken over from such a handler because it blocked, and renewed
/// when an away handler blocks. It is cleared after `Tuning.drainsToReturn` drains in a row
/// that blocked for less than `Tuning.shortBlock` an item: a queue that blocked once comes back.
struct BlockingHistory {
    private var drainsLeft: UInt8 = 0

    var isAway: Bool { drainsLeft > 0 }

    /// The clocks, in nanoseconds, when handlers of a worker without a loop begin.
    struct Start: Equatable {
        let time = MonotonicClock.nanoseconds()
        let used: UInt64

        init(_ context: Context) {
            used = Threads.cpuNanoseconds(ofThread: context.pointee.identifier) ?? 0
        }

        /// The time since then in which the thread did not compute.
        fileprivate func blockedNanoseconds(_ context: Context) -> UInt64 {
            let now = Start(context)
            let (time, used) = (now.time &- time, now.used &- used)
            return time > used ? time &- used : 0
        }
    }

    /// Nil for other threads. A worker with a loop needs no clock: the monitor takes its loop if a
    /// handler blocks.
    @inline(__always)
    static func start(_ context: Context) -> Start? {
        context.pointee.loopState == 0 && context.pointee.isWorker ? Start(context) : nil
    }

    /// After handlers have run on the calling thread.
    /// - Parameters:
    ///   - start: from before the first one.
    ///   - items: their number.
    @inline(__always)
    mutating func note(_ start: Start?, items: Int, _ context: Context) {
        if let start {
            let limit = UInt64(max(items, 1)) &* Tuning.shortBlock
            drainsLeft =
                start.blockedNanoseconds(context) > limit
                ? Tuning.drainsToReturn : max(drainsLeft, 1) &- 1
        } else if BlockingHistory.hasLostLoop(context) {
            drainsLeft = Tuning.drainsToReturn
        }
    }

    /// Whether another worker took the loop because a handler blocked.
    @inline(__always)
    fileprivate static func hasLostLoop(_ context: Context) -> Bool {
        context.pointee.loopState != 0 && !context.holdsLoop && hasBlocked(context)
    }

    @inline(never)
    private static func hasBlocked(_ context: Context) -> Bool {
        let blocked = context.pointee.worker?.blockedState.load(ordering: .relaxed)
        return blocked == context.pointee.loopState
    }
}

/// The history of the handlers of global and concurrent queues, which any number of threads run.
struct SharedBlockingHistory: ~Copyable {
    /// A copy of the history's `isAway`. A hint (relaxed): a late change costs one handler's block.
    private let isAwayHint = Atomic<Bool>(false)
    private let history = Locked(BlockingHistory())

    @inline(__always)
    var isAway: Bool { isAwayHint.load(ordering: .relaxed) }

    /// Runs a handler as a work item of its own, or the handlers of a queue that is drained.
    @inline(__always)
    func run(_ context: Context, _ body: () -> Void) {
        let start = BlockingHistory.start(context)
        let first = context.pointee.threadHandle.item
        body()
        if start != nil || BlockingHistory.hasLostLoop(context) { note(start, first, context) }
    }

    @inline(never)
    private func note(_ start: BlockingHistory.Start?, _ first: UInt64, _ context: Context) {
        let items = Int(context.pointee.threadHandle.item &- first)
        let isAway = history.withLock { history in
            history.note(start, items: items, context)
            return history.isAway
        }
        isAwayHint.store(isAway, ordering: .relaxed)
    }
}
