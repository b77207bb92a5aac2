/// A first-in first-out list of work items that belongs to one thread.
struct WorkItemList {
    private(set) var first: WorkItemPointer?
    private(set) var last: WorkItemPointer?
    private(set) var count = 0

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ workItem: WorkItemPointer) {
        workItem.pointee.next = nil
        if let last { last.pointee.next = workItem } else { first = workItem }
        last = workItem
        count &+= 1
    }

    @inline(__always)
    mutating func popFirst() -> WorkItemPointer? {
        guard let workItem = first else { return nil }
        first = workItem.pointee.next
        if first == nil { last = nil }
        count &-= 1
        return workItem
    }

    @inline(__always)
    mutating func append(all first: WorkItemPointer?) {
        first.forEach { append($0) }
    }

    /// Takes off the later half, rounded up.
    mutating func splitHalf() -> WorkItemList {
        let kept = count / 2
        guard kept > 0, var tail = first else {
            return exchange(&self, with: WorkItemList())
        }
        for _ in 1..<kept {
            guard let next = tail.pointee.next else { break }
            tail = next
        }
        var half = WorkItemList()
        half.first = tail.pointee.next
        half.last = last
        half.count = count - kept
        tail.pointee.next = nil
        last = tail
        count = kept
        return half
    }
}
