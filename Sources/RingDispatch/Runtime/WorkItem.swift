/// One unit of work on a list: a block, a queue to drain, a source to invoke, a thread to let in.
///
/// Work items are plain memory with an intrusive link. A queue's and a source's is part of the object
/// (`WorkItemNode`), which is on one list at a time; the others are the beginning of an `SubmittedItem`.
struct WorkItem {
    var next: WorkItemPointer?
    /// What the work item is about; which type, and whether it is retained, says `kind`.
    var object: UnsafeMutableRawPointer?
    var kind: Kind
    /// The QoS priority it is served in, on a loop's run queue.
    var priority: UInt8
    /// On a concurrent queue: waits for what came before, runs alone.
    var isBarrier = false

    enum Kind: UInt8 {
        /// An item: runs its block.
        case block
        /// An item: `object` is the `ThreadHandle` of a thread that waits in `sync`; not retained.
        case waiter
        /// An item: `object` is a work item of a concurrent queue that passes through another one.
        case nested
        /// A node: `object` is a retained `DispatchQueue` to drain.
        case queue
        /// A node: `object` is a retained `SourceCore` to invoke.
        case source
        /// A `ReceiveBuffer`: `object` is the `StreamReceiver` that it came for; not retained.
        case receiveBuffer
        /// A node: `object` is a retained `LoopStream` that has ended.
        case streamEnd
    }
}

typealias WorkItemPointer = UnsafeMutablePointer<WorkItem>

extension WorkItemPointer? {
    /// The linked list that the work item begins, turned around.
    @inline(__always)
    func reversed() -> WorkItemPointer? {
        var rest = self
        var turned: WorkItemPointer?
        while let workItem = rest {
            rest = workItem.pointee.next
            workItem.pointee.next = turned
            turned = workItem
        }
        return turned
    }
}
