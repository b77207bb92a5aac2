/// A job that was submitted to a queue. Whoever takes one off its list owns it, and moves its
/// contents out (`ItemCache.take`) before it calls out, so that a nested `async` finds the memory
/// hot.
struct Item: ~Copyable {
    var job: Job
    var block: Block?
    /// Left when the item is done; the group's own count keeps it alive.
    var group: Unmanaged<DispatchGroup>?
    /// The concurrent queue among whose running items this one is; they keep it alive.
    var through: Unmanaged<DispatchQueue>?

    init(
        kind: Job.Kind, band: UInt8 = Band.default, isBarrier: Bool = false, block: Block? = nil,
        object: UnsafeMutableRawPointer? = nil, group: Unmanaged<DispatchGroup>? = nil
    ) {
        job = Job(next: nil, object: object, kind: kind, band: band, isBarrier: isBarrier)
        self.block = block
        self.group = group
        through = nil
    }
}

typealias Block = @Sendable () -> Void

typealias ItemPointer = UnsafeMutablePointer<Item>

extension JobPointer {
    /// The item that the job begins. Only for the kinds that are items.
    @inline(__always)
    var item: ItemPointer {
        // Safety: items are made by `ItemCache`, and `job` is their first field.
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Item.self)
    }
}
