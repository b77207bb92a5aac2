/// A 4-ary heap of timers, ordered by the end of their windows. Timers that can be taken out know
/// their place in it; the others are nothing but their slot.
struct TimerHeap: Sendable {
    private var slots: [TimerSlot] = []

    private static let arity = 4

    var count: Int { slots.count }
    var earliest: UInt64 { slots.first?.window.latest ?? .max }

    /// Returns whether the timer is now the first.
    mutating func insert(_ slot: TimerSlot) -> Bool {
        slots.append(slot)
        return siftUp(slots.count - 1) == 0
    }

    /// Takes out the timer at a place that it knows.
    mutating func remove(at index: Int) -> TimerSlot {
        let slot = slots[index]
        slots[index].noteIndex(-1)
        let last = slots.removeLast()
        guard index < slots.count else { return slot }
        slots[index] = last
        siftUp(siftDown(index))
        return slot
    }

    /// Takes out timers at the top whose time has come.
    mutating func popDue(now: UInt64, limit: Int) -> [TimerSlot] {
        guard let first = slots.first, first.window.deadline <= now else { return [] }
        var due: [TimerSlot] = []
        due.reserveCapacity(limit)
        while due.count < limit, let slot = slots.first, slot.window.deadline <= now {
            due.append(remove(at: 0))
        }
        return due
    }

    @inline(__always)
    private mutating func place(_ slot: TimerSlot, at index: Int) {
        slots[index] = slot
        slot.noteIndex(index)
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
