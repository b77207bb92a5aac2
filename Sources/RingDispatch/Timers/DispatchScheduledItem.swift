/// A block scheduled by `scheduleAfter`, which can be cancelled.
///
/// Releasing this object does not cancel the block. When the block has run, it is released, so it
/// may capture an object that keeps this one.
public final class DispatchScheduledItem: Sendable {
    /// By how many nanoseconds a block may be late, so that one wake-up serves several timers.
    package static let leeway: UInt64 = 1_000_000

    // Safety: the heap's lock guards `timerIndex`; the rest is immutable.
    /// The timer's index in the heap; -1 if it is in none.
    @exclusivity(unchecked) nonisolated(unsafe) var timerIndex = -1
    private let loop: EventLoop
    private let clock: TimerClock
    private let queue: DispatchQueue
    private let work: DispatchWorkItem

    init(work: DispatchWorkItem, queue: DispatchQueue, loop: EventLoop, clock: TimerClock) {
        self.work = work
        self.queue = queue
        self.loop = loop
        self.clock = clock
    }

    /// Keeps the block from starting, and frees its timer and captures at once. Does not affect a
    /// block that is running or has run. Call it from any thread.
    public func cancel() {
        work.cancel()
        _ = loop.timers[clock].remove(at: { timerIndex })
    }

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { work.isCancelled }

    static let timerAction = TimerAction(
        fire: { item, _, _ in
            Unmanaged<DispatchScheduledItem>.fromOpaque(item).takeRetainedValue().fired()
        },
        noteIndex: { item, index in
            Unmanaged<DispatchScheduledItem>.fromOpaque(item)._withUnsafeGuaranteedRef {
                $0.timerIndex = index
            }
        })

    /// Runs on a loop when the timer fires.
    func fired() {
        queue.async(qos: work.qos, flags: work.flags) { [work] in work.performOnce() }
    }
}
