internal import LinuxPlatform
internal import Synchronization

/// A loop's timers on one clock: a heap ordered by the latest time each may fire.
///
/// The loop sleeps until the first of those times, and fires then all timers at the top whose own
/// time has come: timers whose windows overlap fire together. Any thread may add and remove.
///
/// Like its loop, a pointer to memory that lives as long as the process.
struct TimerQueue {
    private let pointer = UnsafeMutablePointer<Storage>.allocate(capacity: 1)

    init() { pointer.initialize(to: Storage()) }

    private struct Storage: ~Copyable {
        let heap = Locked(TimerHeap())
        /// The earliest `latest` in the heap, or UInt64.max. Written inside the lock; a loop that
        /// is about to sleep reads it after it announced that, and whoever adds a timer looks
        /// whether the loop sleeps after writing it: one of both notices.
        let earliest = Atomic<UInt64>(.max)
    }

    @inline(__always)
    var earliest: UInt64 { pointer.pointee.earliest.load(ordering: .sequentiallyConsistent) }

    /// Timers that are set.
    var count: Int { pointer.pointee.heap.withLock { $0.count } }

    /// Adds a timer. True when it is now the one that ends first.
    func add(_ slot: TimerSlot) -> Bool {
        pointer.pointee.heap.withLock { heap in
            let isFirst = heap.insert(slot)
            if isFirst {
                pointer.pointee.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            }
            return isFirst
        }
    }

    /// Takes a timer out whose place `index` tells; false when it has fired already.
    /// - Parameter index: called under the heap's lock.
    func remove(at index: () -> Int) -> Bool {
        let slot = pointer.pointee.heap.withLock { heap -> TimerSlot? in
            let index = index()
            guard index >= 0 else { return nil }
            let slot = heap.remove(at: index)
            pointer.pointee.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            return slot
        }
        slot?.drop()
        return slot != nil
    }

    /// Fires what is due.
    func fireDue(now: UInt64, _ context: Context) {
        while true {
            let due = pointer.pointee.heap.withLock { heap -> [TimerSlot] in
                let due = heap.popDue(now: now, limit: TimerQueue.batch)
                if !due.isEmpty {
                    pointer.pointee.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
                }
                return due
            }
            for slot in due { slot.fire(context) }
            if due.count < TimerQueue.batch { return }
        }
    }

    /// Timers that are fired for one lock of the heap.
    private static let batch = 64
}
