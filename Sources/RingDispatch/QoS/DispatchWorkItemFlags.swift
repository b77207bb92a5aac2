/// How an item is queued and what it takes over from its submitter. Stands for
/// `dispatch_block_flags_t`.
@frozen
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    /// The flags as bits; the values are those of `dispatch_block_flags_t`.
    public let rawValue: UInt

    /// The flags with these bits.
    @inlinable
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// On a private concurrent queue the item waits for all earlier items, runs alone, and holds
    /// back all later ones. Without effect on global queues; on a serial queue each item is one.
    @inlinable
    public static var barrier: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x1) }

    /// The item takes no attributes over from the context that submits it.
    @inlinable
    public static var detached: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x2) }

    /// The item takes over the attributes of the context that creates it.
    @inlinable
    public static var assignCurrentContext: DispatchWorkItemFlags {
        DispatchWorkItemFlags(rawValue: 0x4)
    }

    /// The item has no quality of service of its own.
    @inlinable
    public static var noQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x8) }

    /// The queue's quality of service wins over the item's, where the queue has one.
    @inlinable
    public static var inheritQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x10) }

    /// The item's quality of service wins over the queue's, where the item's is higher.
    @inlinable
    public static var enforceQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x20) }
}
