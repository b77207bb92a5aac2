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
    func add(_ timer: TimerPointer) -> Bool {
        let reference = TimerReference(timer: timer)
        return storage.heap.withLock { heap in
            let isFirst = heap.insert(reference.timer)
            if isFirst {
                storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            }
            return isFirst
        }
    }

    /// Takes a timer out; false when it has fired already.
    func remove(_ timer: TimerPointer) -> Bool {
        let reference = TimerReference(timer: timer)
        return storage.heap.withLock { heap in
            guard heap.remove(reference.timer) else { return false }
            storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// Fires what is due.
    func fireDue(now: UInt64, _ context: Context) {
        while true {
            let due = storage.heap.withLock { heap -> TimerReference? in
                let first = heap.popDue(now: now, limit: TimerQueue.batch)
                if first != nil {
                    storage.earliest.store(heap.earliest, ordering: .sequentiallyConsistent)
                }
                return first.map(TimerReference.init)
            }
            guard var timer = due?.timer else { return }
            while true {
                let next = timer.pointee.nextDue
                timer.fire(context)
                guard let next else { break }
                timer = next
            }
        }
    }

    /// Timers that are fired for one lock of the heap.
    private static let batch = 64
}

typealias TimerPointer = UnsafeMutablePointer<Timer>

/// A timer on its way into a lock or out of it.
struct TimerReference: @unchecked Sendable {
    // Safety: a timer is owned by its maker until it is added, then by the heap until it fires.
    let timer: TimerPointer
}

/// One timer: when, and what then.
struct Timer {
    /// Not before this time, on CLOCK_MONOTONIC.
    var deadline: UInt64
    /// Not after this time if the lane can help it.
    var latest: UInt64
    /// Its place in the heap; -1 when it is in none.
    var index = -1
    /// Links what fires together.
    var nextDue: TimerPointer?
    /// The source that is told, or nil.
    var source: Unmanaged<TimerSource>?
    /// The source's schedule that the timer belongs to.
    var generation: UInt64 = 0
    /// The job that goes onto `queue` (retained), for timers without a source.
    var job: JobPointer?
    var queue: Unmanaged<DispatchQueue>?

    init(deadline: UInt64, leeway: UInt64) {
        self.deadline = deadline
        let (latest, isOver) = deadline.addingReportingOverflow(leeway)
        self.latest = isOver ? .max - 1 : latest
    }
}

extension TimerPointer {
    /// Tells the source, or submits the job; the latter frees the timer.
    func fire(_ context: Context) {
        if let source = pointee.source {
            let generation = pointee.generation
            deinitialize(count: 1)
            deallocate()
            source.takeRetainedValue().timerFired(generation: generation)
            return
        }
        if let job = pointee.job, let queue = pointee.queue {
            queue.takeRetainedValue().push(job, context)
        }
        deinitialize(count: 1)
        deallocate()
    }
}
