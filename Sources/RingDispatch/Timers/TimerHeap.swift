/// A 4-ary heap of timers, ordered by the end of their windows. A source's timer knows its place,
/// so that it can be taken out; the others are nothing but their slot.
struct TimerHeap: Sendable {
    private var slots: [Slot] = []

    /// One timer: a source's, or a job for a queue.
    struct Slot: @unchecked Sendable {
        // Safety: what the addresses stand for belongs to the slot, and moves with it.
        let window: TimerWindow
        private let target: Target

        private enum Target {
            case source(TimerPointer)
            /// The queue is retained.
            case queue(Unmanaged<DispatchQueue>, JobPointer)
        }

        init(_ timer: TimerPointer) {
            window = timer.pointee.window
            target = .source(timer)
        }

        init(_ window: TimerWindow, queue: DispatchQueue, job: JobPointer) {
            self.window = window
            target = .queue(Unmanaged.passRetained(queue), job)
        }

        /// Tells the source, or submits the job.
        func fire(_ context: Context) {
            switch target {
            case .queue(let queue, let job):
                queue.takeRetainedValue().push(job, context)
            case .source(let timer):
                timer.pointee.source.takeRetainedValue().fired(timer)
            }
        }

        fileprivate var index: Int {
            get {
                if case .source(let timer) = target { timer.pointee.index } else { -1 }
            }
            nonmutating set {
                if case .source(let timer) = target { timer.pointee.index = newValue }
            }
        }
    }

    private static let arity = 4

    var count: Int { slots.count }
    var earliest: UInt64 { slots.first?.window.latest ?? .max }

    /// Returns whether the timer is now the first.
    mutating func insert(_ slot: Slot) -> Bool {
        slots.append(slot)
        return siftUp(slots.count - 1) == 0
    }

    /// False when the timer is not in the heap.
    mutating func remove(_ slot: Slot) -> Bool {
        let index = slot.index
        guard index >= 0 else { return false }
        removeSlot(at: index)
        return true
    }

    /// Takes out timers at the top whose time has come.
    mutating func popDue(now: UInt64, limit: Int) -> [Slot] {
        guard let first = slots.first, first.window.deadline <= now else { return [] }
        var due: [Slot] = []
        due.reserveCapacity(limit)
        while due.count < limit, let slot = slots.first, slot.window.deadline <= now {
            removeSlot(at: 0)
            due.append(slot)
        }
        return due
    }

    private mutating func removeSlot(at index: Int) {
        slots[index].index = -1
        let last = slots.removeLast()
        guard index < slots.count else { return }
        slots[index] = last
        siftUp(siftDown(index))
    }

    @inline(__always)
    private mutating func place(_ slot: Slot, at index: Int) {
        slots[index] = slot
        slot.index = index
    }

    /// Returns where the slot ends up.
    @discardableResult
    private mutating func siftUp(_ start: Int) -> Int {
        let slot = slots[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / TimerHeap.arity
            guard slot.window.latest < slots[parent].window.latest else { break }
            place(slots[parent], at: index)
            index = parent
        }
        place(slot, at: index)
        return index
    }

    private mutating func siftDown(_ start: Int) -> Int {
        let slot = slots[start]
        var index = start
        while true {
            let firstChild = index * TimerHeap.arity + 1
            guard firstChild < slots.count else { break }
            var child = firstChild
            for other in firstChild..<min(firstChild + TimerHeap.arity, slots.count)
            where slots[other].window.latest < slots[child].window.latest {
                child = other
            }
            guard slots[child].window.latest < slot.window.latest else { break }
            place(slots[child], at: index)
            index = child
        }
        place(slot, at: index)
        return index
    }
}
