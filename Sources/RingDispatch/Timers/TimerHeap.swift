/// A 4-ary heap of timers, ordered by the end of their windows. The object of a removable timer
/// stores the timer's index.
///
/// Removal leaves an empty slot, which costs one write; filling the gap would touch timers all over
/// the memory. The first slot is never empty, and at most half of the slots are.
struct TimerHeap: Sendable {
    private var slots: [TimerSlot] = []
    private var emptyCount = 0

    private static let arity = 4
    /// The heap tolerates this many empty slots.
    private static let fewEmpty = 16

    var count: Int { slots.count - emptyCount }
    var earliest: UInt64 { slots.first?.window.latest ?? .max }

    /// Returns whether the timer is now the first.
    mutating func insert(_ slot: TimerSlot) -> Bool {
        slots.append(slot)
        return siftUp(slots.count - 1) == 0
    }

    mutating func remove(at index: Int) -> TimerSlot {
        let slot = slots[index]
        slot.noteIndex(-1)
        slots[index].empty()
        emptyCount += 1
        if index == 0 { removeEmptyFirsts() }
        if emptyCount > TimerHeap.fewEmpty && emptyCount > slots.count / 2 { compact() }
        return slot
    }

    /// Removes timers from the top whose deadline has passed.
    mutating func popDue(now: UInt64, limit: Int) -> [TimerSlot] {
        guard let first = slots.first, first.window.deadline <= now else { return [] }
        var due: [TimerSlot] = []
        due.reserveCapacity(limit)
        while due.count < limit, let slot = slots.first, slot.window.deadline <= now {
            slot.noteIndex(-1)
            removeFirst()
            removeEmptyFirsts()
            due.append(slot)
        }
        return due
    }

    private mutating func removeFirst() {
        let last = slots.removeLast()
        if slots.isEmpty { return }
        slots[0] = last
        siftDown(0)
    }

    private mutating func removeEmptyFirsts() {
        while let first = slots.first, first.isEmpty {
            removeFirst()
            emptyCount -= 1
        }
    }

    private mutating func compact() {
        slots.removeAll { $0.isEmpty }
        emptyCount = 0
        for index in slots.indices { slots[index].noteIndex(index) }
        guard slots.count > 1 else { return }
        let lastParent = (slots.count - 2) / TimerHeap.arity
        for index in (0...lastParent).reversed() { siftDown(index) }
    }

    @inline(__always)
    private mutating func place(_ slot: TimerSlot, at index: Int) {
        slots[index] = slot
        slot.noteIndex(index)
    }

    /// Returns the slot's final index.
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

    private mutating func siftDown(_ start: Int) {
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
    }
}
