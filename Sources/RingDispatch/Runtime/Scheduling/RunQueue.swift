/// A loop's ready work items, one list for each QoS priority, or those of `AwayWork`.
struct RunQueue {
    private(set) var lists = InlineArray<5, WorkItemList>(repeating: WorkItemList())
    private(set) var count = 0

    private var urgentServed = 0
    /// The class that had the last turn between urgent items.
    private var lastShare = 0

    @inline(__always)
    mutating func append(_ workItem: WorkItemPointer) {
        count &+= 1
        lists[Int(workItem.pointee.priority)].append(workItem)
    }

    mutating func append(all first: WorkItemPointer?) {
        first.forEach { append($0) }
    }

    @inline(__always)
    mutating func popFirst() -> WorkItemPointer? {
        guard count > 0, let top = mostUrgent(below: Priority.count) else { return nil }
        count &-= 1
        urgentServed += 1
        if urgentServed > Tuning.urgentRun {
            urgentServed = 0
            // The other classes in turn, from the more urgent to the less urgent.
            if let share = mostUrgent(below: min(lastShare, top)) ?? mostUrgent(below: top) {
                lastShare = share
                return lists[share].popFirst()
            }
        }
        return lists[top].popFirst()
    }

    /// The most urgent class that has items, of those below a limit.
    private func mostUrgent(below limit: Int) -> Int? {
        var index = limit - 1
        while index >= 0 && lists[index].isEmpty { index -= 1 }
        return index < 0 ? nil : index
    }

    /// Removes work items in their order, at most `limit`.
    mutating func popAll(limit: Int = .max) -> WorkItemList {
        var taken = WorkItemList()
        for _ in 0..<min(limit, count) {
            if let workItem = popFirst() { taken.append(workItem) }
        }
        return taken
    }

    /// Removes and returns the later half of each priority's list.
    mutating func splitHalf() -> WorkItemList {
        var given = WorkItemList()
        for index in lists.indices.reversed() {
            let half = lists[index].splitHalf()
            count -= half.count
            given.append(all: half.first)
        }
        return given
    }
}
