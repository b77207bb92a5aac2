/// A work item that was submitted to a queue. The thread that takes it off its list owns it. It
/// moves the contents out (`ItemCache.take`) before it runs the block, so that a nested `async`
/// reuses the memory while it is in the cache.
struct SubmittedItem: ~Copyable {
    var workItem: WorkItem
    var block: Block?
    /// The group to leave when the item is done; the group's own count keeps it alive.
    var group: Unmanaged<DispatchObject>?
    /// The concurrent queue that runs this item; its running items keep it alive.
    var through: Unmanaged<DispatchQueue>?

    init(
        kind: WorkItem.Kind, priority: UInt8 = Priority.default, isBarrier: Bool = false,
        block: Block? = nil,
        object: UnsafeMutableRawPointer? = nil
    ) {
        workItem = WorkItem(
            next: nil, kind: kind, priority: priority, isBarrier: isBarrier, object: object)
        self.block = block
    }
}

extension ItemCache {
    @inline(__always)
    mutating func make(_ item: consuming SubmittedItem) -> WorkItemPointer {
        assert(MemoryLayout<SubmittedItem>.size <= ItemCache.bytes)
        let memory = takeMemory()
        memory.assumingMemoryBound(to: SubmittedItem.self).initialize(to: item)
        return memory.assumingMemoryBound(to: WorkItem.self)
    }

    /// Moves the contents out and frees the memory.
    @inline(__always)
    mutating func take(_ pointer: WorkItemPointer) -> SubmittedItem {
        let item = pointer.item.move()
        giveMemory(UnsafeMutableRawPointer(pointer))
        return item
    }
}

typealias Block = @Sendable () -> Void

extension WorkItemPointer {
    /// The item that starts with this work item. Only for the kinds that are items.
    @inline(__always)
    var item: UnsafeMutablePointer<SubmittedItem> {
        // Safety: items are made by `ItemCache`, and `workItem` is their first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: SubmittedItem.self)
    }
}
