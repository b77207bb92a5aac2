/// A loop's ready work items, one list for each QoS priority. Only the holder and a stealing worker
/// touch it.
struct RunQueue {
    private var priorities: (WorkItemList, WorkItemList, WorkItemList, WorkItemList, WorkItemList) =
        (
            WorkItemList(), WorkItemList(), WorkItemList(), WorkItemList(), WorkItemList()
        )
    private(set) var count = 0

    /// Number of items from higher priorities between two items of the lowest one that waits. A
    /// flood of urgent work slows the rest down, but does not stop it.
    static let urgentRun = 64
    private var urgentServed = 0

    @inline(__always)
    mutating func append(_ workItem: WorkItemPointer) {
        count &+= 1
        switch workItem.pointee.priority {
        case 0: priorities.0.append(workItem)
        case 1: priorities.1.append(workItem)
        case 2: priorities.2.append(workItem)
        case 3: priorities.3.append(workItem)
        default: priorities.4.append(workItem)
        }
    }

    mutating func append(all first: WorkItemPointer?) {
        var rest = first
        while let workItem = rest {
            rest = workItem.pointee.next
            append(workItem)
        }
    }

    @inline(__always)
    mutating func popFirst() -> WorkItemPointer? {
        guard count > 0 else { return nil }
        count &-= 1
        // In nearly all cases every item has the default priority.
        if priorities.2.count == count &+ 1 { return priorities.2.popFirst() }
        return popMixed()
    }

    private mutating func popMixed() -> WorkItemPointer? {
        urgentServed += 1
        if urgentServed > RunQueue.urgentRun {
            urgentServed = 0
            return priorities.0.popFirst() ?? priorities.1.popFirst() ?? priorities.2.popFirst()
                ?? priorities.3.popFirst() ?? priorities.4.popFirst()
        }
        return priorities.4.popFirst() ?? priorities.3.popFirst() ?? priorities.2.popFirst()
            ?? priorities.1.popFirst() ?? priorities.0.popFirst()
    }

    /// Removes and returns the later half of each priority's list.
    mutating func splitHalf() -> [WorkItemPointer] {
        var given: [WorkItemPointer] = []
        func drain(_ list: WorkItemList) {
            var list = list
            while let workItem = list.popFirst() { given.append(workItem) }
        }
        drain(priorities.4.splitHalf())
        drain(priorities.3.splitHalf())
        drain(priorities.2.splitHalf())
        drain(priorities.1.splitHalf())
        drain(priorities.0.splitHalf())
        count -= given.count
        return given
    }
}
