internal import LinuxPlatform
internal import Synchronization

/// A loop's timers on one clock.
///
/// The loop sleeps until the first window ends, then fires all timers whose deadline has passed, in
/// the order of their deadlines: timers with overlapping windows fire together. Any thread may add
/// and remove timers.
struct TimerQueue: ~Copyable {
    private let heap = Locked(TimerHeap())
    /// The earliest `latest` in the heap, or UInt64.max. Written under the lock. Store-then-check
    /// with the loop's state: adding a timer stores this and checks whether the loop sleeps; the
    /// loop announces its sleep and checks this.
    private let first = Atomic<UInt64>(.max)

    @inline(__always)
    var earliest: UInt64 { first.load(ordering: .sequentiallyConsistent) }

    var count: Int { heap.withLock { $0.count } }

    /// Adds a timer. True if its window is now the first to end.
    func add(_ slot: TimerSlot) -> Bool {
        heap.withLock { heap in
            let isFirst = heap.insert(slot)
            if isFirst {
                first.store(heap.earliest, ordering: .sequentiallyConsistent)
            }
            return isFirst
        }
    }

    /// Removes a timer; false if it has already fired.
    /// - Parameter index: returns the timer's index; called under the heap's lock.
    func remove(at index: () -> Int) -> Bool {
        let slot = heap.withLock { heap -> TimerSlot? in
            let index = index()
            guard index >= 0 else { return nil }
            let slot = heap.remove(at: index)
            first.store(heap.earliest, ordering: .sequentiallyConsistent)
            return slot
        }
        slot?.drop()
        return slot != nil
    }

    func fireDue(now: UInt64, _ context: Context) {
        while true {
            let due = takeDue(now: now, limit: TimerQueue.batch)
            for slot in due { slot.fire(context) }
            if due.count < TimerQueue.batch { return }
        }
    }

    /// Removes timers that are due, in order, at most `limit`.
    func takeDue(now: UInt64, limit: Int = .max) -> [TimerSlot] {
        heap.withLock { heap in
            let due = heap.popDue(now: now, limit: limit)
            first.store(heap.earliest, ordering: .sequentiallyConsistent)
            return due
        }
    }

    /// Timers removed under one lock.
    private static let batch = 64
}
