/// Work items to push at once, linked from the newest to the oldest like an inbox.
struct WorkItemChain: ~Copyable {
    private(set) var newest: WorkItemPointer?
    private(set) var oldest: WorkItemPointer?

    init() {}

    var isEmpty: Bool { newest == nil }

    @inline(__always)
    mutating func append(_ workItem: WorkItemPointer) {
        workItem.pointee.next = newest
        if newest == nil { oldest = workItem }
        newest = workItem
    }

    /// The same work items, oldest first.
    consuming func inOrder() -> WorkItemPointer? { newest.reversed() }
}
