/// One unit of work on a list: a block, a queue to drain, a source to invoke, a watch with events,
/// or a thread to let in.
///
/// Work items are plain memory with an intrusive link. The one of a queue, a source or a watch is
/// part of that object (`WorkItemNode`), and on one list at a time. That of a `SwiftJob` is in the
/// memory of the task, which has no room for the field `object`. The others are the first field of
/// a `SubmittedItem`.
struct WorkItem {
    var next: WorkItemPointer?
    var kind: Kind
    /// The QoS priority on a loop's run queue.
    var priority: UInt8
    /// On a concurrent queue: waits for all earlier items, and runs alone.
    var isBarrier = false
    /// The object of the work item. `kind` determines its type, and whether it is retained.
    var object: UnsafeMutableRawPointer?

    enum Kind: UInt8 {
        /// An item: runs its block. `object` is the global queue that it runs on, if that has
        /// another priority; not retained.
        case block
        /// An item: `object` is the `ThreadHandle` of a thread that waits in `sync`; not retained.
        case waiter
        /// An item: `object` is a work item of a concurrent queue that passes through another one.
        case nested
        /// A node: `object` is a retained `DispatchQueue` to drain.
        case queue
        /// A node: `object` is a retained `Runnable`.
        case object
        /// A `SwiftJob`, without `object`.
        case swiftJob
    }
}

typealias WorkItemPointer = UnsafeMutablePointer<WorkItem>

extension WorkItemPointer? {
    /// Calls the closure with each work item of the list. It may put them into other lists.
    @inline(__always)
    func forEach(_ body: (WorkItemPointer) -> Void) {
        var rest = self
        while let workItem = rest {
            rest = workItem.pointee.next
            body(workItem)
        }
    }

    /// The reversed list, for a list that starts with this work item.
    @inline(__always)
    func reversed() -> WorkItemPointer? {
        var turned: WorkItemPointer?
        forEach { workItem in
            workItem.pointee.next = turned
            turned = workItem
        }
        return turned
    }
}
