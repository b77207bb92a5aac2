/// A 4-ary heap of timers, ordered by deadline: this is the order in which they fire. The object of
/// a removable timer stores the timer's index.
///
/// A loop wakes when the first window ends, which need not be the window of the first deadline.
/// Each time the loop wakes, the heap searches for that end: only among timers whose deadlines are
/// before it, and those will fire when the loop wakes then. It may wake before, for another timer.
/// So that this costs little beside thousands of timers with long windows, the search ends some
/// levels below the first timer: the loop then wakes at a deadline of the next level.
///
/// Removal leaves an empty slot, which costs one write; filling the gap would touch timers all over
/// the memory. The first slot is never empty. After a removal at most half of the slots are, or 16.
struct TimerHeap: Sendable {
    private(set) var slots: [TimerSlot] = []
    private(set) var emptyCount = 0
    /// The end of the window that ends first; .max if there is no timer. After the timer of that
    /// window was removed, this stays until the loop wakes then: searching at each removal would
    /// make cancelling the oldest of many timers slow.
    private(set) var earliest: UInt64 = .max

    static let arity = 4
    /// Levels that the search for the first window's end examines: at most 85 timers.
    private static let searchedLevels = 4
    /// The heap tolerates this many empty slots.
    private static let fewEmpty = 16

    var count: Int { slots.count - emptyCount }

    /// Returns whether the timer's window is now the first to end.
    mutating func insert(_ slot: TimerSlot) -> Bool {
        slots.append(slot)
        siftUp(slots.count - 1)
        guard slot.window.latest < earliest else { return false }
        earliest = slot.window.latest
        return true
    }

    mutating func remove(at index: Int) -> TimerSlot {
        let slot = slots[index]
        slot.noteIndex(-1)
        slots[index].empty()
        emptyCount += 1
        if index == 0 { removeEmptyFirsts() }
        if emptyCount > TimerHeap.fewEmpty && emptyCount > slots.count / 2 { compact() }
        if slots.isEmpty { earliest = .max }
        return slot
    }

    /// Removes timers whose deadline has passed, in the order of their deadlines. Fewer than
    /// `limit`: there are no more.
    mutating func popDue(now: UInt64, limit: Int) -> [TimerSlot] {
        guard let first = slots.first else { return [] }
        guard first.window.deadline <= now || earliest <= now else { return [] }
        var due: [TimerSlot] = []
        due.reserveCapacity(min(limit, count, 64))
        while due.count < limit, let slot = slots.first, slot.window.deadline <= now {
            slot.noteIndex(-1)
            removeFirst()
            removeEmptyFirsts()
            due.append(slot)
        }
        releaseMemory()
        // While more are due, the caller asks again at once.
        if slots.isEmpty || slots[0].window.deadline > now {
            earliest = .max
            searchEarliest(from: 0, levels: TimerHeap.searchedLevels)
        }
        return due
    }

    private mutating func searchEarliest(from index: Int, levels: Int) {
        guard index < slots.count else { return }
        // No window ends before its deadline, so neither do those of the timers below.
        let deadline = slots[index].window.deadline
        guard deadline < earliest else { return }
        guard levels > 0 else {
            earliest = deadline
            return
        }
        if !slots[index].isEmpty { earliest = min(earliest, slots[index].window.latest) }
        let firstChild = index * TimerHeap.arity + 1
        for child in firstChild..<max(firstChild, min(firstChild + TimerHeap.arity, slots.count)) {
            searchEarliest(from: child, levels: levels - 1)
        }
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

    /// Frees the memory of many timers that are gone.
    private mutating func releaseMemory() {
        if slots.capacity > 4096 + 4 * slots.count { slots = slots.map { $0 } }
    }

    private mutating func compact() {
        slots.removeAll { $0.isEmpty }
        emptyCount = 0
        releaseMemory()
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

    private mutating func siftUp(_ start: Int) {
        let slot = slots[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / TimerHeap.arity
            guard slot.window.deadline < slots[parent].window.deadline else { break }
            place(slots[parent], at: index)
            index = parent
        }
        place(slot, at: index)
    }

    private mutating func siftDown(_ start: Int) {
        let slot = slots[start]
        var index = start
        while true {
            let firstChild = index * TimerHeap.arity + 1
            guard firstChild < slots.count else { break }
            var child = firstChild
            for other in firstChild..<min(firstChild + TimerHeap.arity, slots.count)
            where slots[other].window.deadline < slots[child].window.deadline {
                child = other
            }
            guard slots[child].window.deadline < slot.window.deadline else { break }
            place(slots[child], at: index)
            index = child
        }
        place(slot, at: index)
    }
}
