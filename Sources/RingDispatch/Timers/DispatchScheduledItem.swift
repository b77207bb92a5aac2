internal import Synchronization

/// A block that `scheduleAfter` will submit, which can be called off.
///
/// The queue submits it whether or not somebody keeps this object.
public final class DispatchScheduledItem: @unchecked Sendable {
    // Safety: `timerIndex` belongs to the heap; the rest is immutable.
    /// The timer's place in the heap; -1: in none.
    @exclusivity(unchecked) var timerIndex = -1
    private let timers: TimerQueue
    private let queue: DispatchQueue
    private let work: DispatchWorkItem

    init(work: DispatchWorkItem, queue: DispatchQueue, timers: TimerQueue) {
        self.work = work
        self.queue = queue
        self.timers = timers
    }

    /// Keeps the block from being started, and frees what it captured, at once. Without effect on
    /// one that runs or has run. From any thread.
    public func cancel() {
        work.cancel()
        _ = timers.remove(at: { timerIndex })
    }

    /// Whether `cancel()` was called.
    public var isCancelled: Bool { work.isCancelled }

    /// On a loop: the time has come.
    func fired() {
        queue.async(execute: work)
    }
}
