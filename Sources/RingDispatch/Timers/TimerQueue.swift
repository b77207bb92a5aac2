internal import Ring
internal import Synchronization

/// A lane's timers: a heap ordered by the latest time each may fire.
///
/// The lane sleeps until the first of those times, and fires then all timers at the top whose own
/// time has come: timers whose windows overlap fire together. Any thread may add and remove.
struct TimerQueue {
    private let storage: Storage

    private final class Storage: Sendable {
        let heap = Locked(TimerHeap())
        /// The earliest `latest` in the heap, or UInt64.max. Written inside the lock; a lane that
        /// is about to sleep reads it after it announced that, and whoever adds a timer looks
        /// whether the lane sleeps after writing it: one of both notices.
        let earliest = Atomic<UInt64>(.max)
    }

    init() {
        storage = Storage()
    }

    @inline(__always)
    var earliest: UInt64 { storage.earliest.load(ordering: .sequentiallyConsistent) }

    /// Timers that are set.
    var count: Int { storage.heap.withLock { $0.count } }

    /// Adds a timer. True when it is now the one that ends first.
    func add(_ timer: TimerHeap.Slot) -> Bool {
        storage.heap.withLock { heap in
            let isFirst = heap.insert(timer)
            if isFirst {
                storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            }
            return isFirst
        }
    }

    /// Takes a source's timer out; false when it has fired already.
    func remove(_ timer: TimerPointer) -> Bool {
        let slot = TimerHeap.Slot(timer)
        return storage.heap.withLock { heap in
            guard heap.remove(slot) else { return false }
            storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// Fires what is due.
    func fireDue(now: UInt64, _ context: Context) {
        while true {
            let due = storage.heap.withLock { heap -> [TimerHeap.Slot] in
                let due = heap.popDue(now: now, limit: TimerQueue.batch)
                if !due.isEmpty {
                    storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
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

typealias TimerPointer = UnsafeMutablePointer<Timer>

/// A source's timer, which can be taken out before it fires.
struct Timer {
    let window: TimerWindow
    let source: Unmanaged<TimerSource>
    /// Its place in the heap; -1 when it is in none.
    var index = -1
}

/// When a timer may fire, on CLOCK_MONOTONIC.
struct TimerWindow {
    /// Not before.
    let deadline: UInt64
    /// Not after, if the lane can help it.
    let latest: UInt64

    init(deadline: UInt64, leeway: UInt64) {
        self.deadline = deadline
        let (latest, isOver) = deadline.addingReportingOverflow(leeway)
        self.latest = isOver ? .max - 1 : latest
    }
}
