/// How an item is queued, and which attributes it inherits. Stands for `dispatch_block_flags_t`.
@frozen
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    /// The values are those of `dispatch_block_flags_t`.
    public let rawValue: UInt

    /// The flags with these bits.
    @inlinable
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// On a private concurrent queue the item waits for all earlier items, runs alone, and holds
    /// back all later ones. Has no effect on global queues; items of a serial queue run alone
    /// anyway.
    @inlinable
    public static var barrier: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x1) }

    /// The item inherits no attributes from the context that submits it.
    @inlinable
    public static var detached: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x2) }

    /// The item inherits the attributes of the context that creates it.
    @inlinable
    public static var assignCurrentContext: DispatchWorkItemFlags {
        DispatchWorkItemFlags(rawValue: 0x4)
    }

    /// The item has no quality of service of its own.
    @inlinable
    public static var noQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x8) }

    /// The queue's quality of service, if any, takes precedence over the item's.
    @inlinable
    public static var inheritQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x10) }

    /// The item's quality of service takes precedence over the queue's if it is higher.
    @inlinable
    public static var enforceQoS: DispatchWorkItemFlags { DispatchWorkItemFlags(rawValue: 0x20) }
}
