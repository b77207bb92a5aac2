/// A work item that was submitted to a queue. Whoever takes one off its list owns it, and moves its
/// contents out (`ItemCache.take`) before it calls out, so that a nested `async` finds the memory
/// hot.
struct SubmittedItem: ~Copyable {
    var workItem: WorkItem
    var block: Block?
    /// Left when the item is done; the group's own count keeps it alive.
    var group: Unmanaged<DispatchGroup>?
    /// The concurrent queue among whose running items this one is; they keep it alive.
    var through: Unmanaged<DispatchQueue>?

    init(
        kind: WorkItem.Kind, priority: UInt8 = Priority.default, isBarrier: Bool = false,
        block: Block? = nil,
        object: UnsafeMutableRawPointer? = nil, group: Unmanaged<DispatchGroup>? = nil
    ) {
        workItem = WorkItem(
            next: nil, object: object, kind: kind, priority: priority, isBarrier: isBarrier)
        self.block = block
        self.group = group
        through = nil
    }
}

typealias Block = @Sendable () -> Void

typealias SubmittedItemPointer = UnsafeMutablePointer<SubmittedItem>

extension WorkItemPointer {
    /// The item that the work item begins. Only for the kinds that are items.
    @inline(__always)
    var item: SubmittedItemPointer {
        // Safety: items are made by `ItemCache`, and `workItem` is their first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: SubmittedItem.self)
    }
}
