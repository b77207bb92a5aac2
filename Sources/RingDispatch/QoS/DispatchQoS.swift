/// The quality of service of a queue or an item: a class, and a relative priority within it.
///
/// Stands for the `qos_class_t` and relative-priority arguments of
/// `dispatch_queue_attr_make_with_qos_class` and `dispatch_block_create_with_qos_class`.
@frozen
public struct DispatchQoS: Equatable, Sendable {
    /// How urgent the work is.
    public let qosClass: QoSClass

    /// Small, since each queue and each item has one.
    @usableFromInline let offset: Int16

    /// The offset within the class, from 0 down to -15. The scheduler ignores it.
    @inlinable
    public var relativePriority: Int { Int(offset) }

    /// A class, with an offset within it from 0 down to -15.
    @inlinable
    public init(qosClass: QoSClass, relativePriority: Int) {
        self.qosClass = qosClass
        offset = Int16(clamping: relativePriority)
    }

    /// Stands for `QOS_CLASS_BACKGROUND`.
    @inlinable
    public static var background: DispatchQoS { DispatchQoS(.background) }

    /// Stands for `QOS_CLASS_UTILITY`.
    @inlinable
    public static var utility: DispatchQoS { DispatchQoS(.utility) }

    /// Stands for `QOS_CLASS_DEFAULT`.
    @inlinable
    public static var `default`: DispatchQoS { DispatchQoS(.default) }

    /// Stands for `QOS_CLASS_USER_INITIATED`.
    @inlinable
    public static var userInitiated: DispatchQoS { DispatchQoS(.userInitiated) }

    /// Stands for `QOS_CLASS_USER_INTERACTIVE`.
    @inlinable
    public static var userInteractive: DispatchQoS { DispatchQoS(.userInteractive) }

    /// The queue or its target decides. Stands for `QOS_CLASS_UNSPECIFIED`.
    @inlinable
    public static var unspecified: DispatchQoS { DispatchQoS(.unspecified) }

    @inlinable
    package init(_ qosClass: QoSClass) {
        self.init(qosClass: qosClass, relativePriority: 0)
    }
}
