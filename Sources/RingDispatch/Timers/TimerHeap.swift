/// A 4-ary heap of timers, ordered by `latest`. Each timer knows its place, so that any can be
/// taken out.
struct TimerHeap: @unchecked Sendable {
    // Safety: used inside its queue's lock; the timers in it are alive.
    private var slots: [Slot] = []

    private struct Slot {
        /// A copy of the timer's, so that sifting stays within the array.
        var latest: UInt64
        var timer: TimerPointer
    }

    private static let arity = 4

    var count: Int { slots.count }
    var earliest: UInt64 { slots.first?.latest ?? .max }

    /// Returns whether the timer is now the first.
    mutating func insert(_ timer: TimerPointer) -> Bool {
        slots.append(Slot(latest: timer.pointee.latest, timer: timer))
        siftUp(slots.count - 1)
        return timer.pointee.index == 0
    }

    /// False when the timer is not in the heap.
    mutating func remove(_ timer: TimerPointer) -> Bool {
        let index = timer.pointee.index
        guard index >= 0 else { return false }
        removeSlot(at: index)
        return true
    }

    /// Takes out timers at the top whose time has come, linked by `nextDue`.
    mutating func popDue(now: UInt64, limit: Int) -> TimerPointer? {
        var first: TimerPointer?
        var last: TimerPointer?
        var left = limit
        while left > 0, let slot = slots.first, slot.timer.pointee.deadline <= now {
            removeSlot(at: 0)
            slot.timer.pointee.nextDue = nil
            if let last { last.pointee.nextDue = slot.timer } else { first = slot.timer }
            last = slot.timer
            left -= 1
        }
        return first
    }

    private mutating func removeSlot(at index: Int) {
        slots[index].timer.pointee.index = -1
        let last = slots.removeLast()
        guard index < slots.count else { return }
        place(last, at: index)
        siftDown(index)
        siftUp(last.timer.pointee.index)
    }

    @inline(__always)
    private mutating func place(_ slot: Slot, at index: Int) {
        slots[index] = slot
        slot.timer.pointee.index = index
    }

    private mutating func siftUp(_ start: Int) {
        let slot = slots[start]
        var index = start
        while index > 0 {
            let parent = (index - 1) / TimerHeap.arity
            guard slot.latest < slots[parent].latest else { break }
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
            where slots[other].latest < slots[child].latest {
                child = other
            }
            guard slots[child].latest < slot.latest else { break }
            place(slots[child], at: index)
            index = child
        }
        place(slot, at: index)
    }
}
