// GCD's C constants that are Swift members here: the compiler suggests the replacement.

@available(*, unavailable, message: "leave the attributes out")
public var DISPATCH_QUEUE_SERIAL: Any? { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.Attributes.concurrent")
public var DISPATCH_QUEUE_CONCURRENT: Any? { fatalError() }

@available(*, unavailable, message: "use DispatchQueue.global(qos: .userInitiated)")
public var DISPATCH_QUEUE_PRIORITY_HIGH: Int { fatalError() }

@available(*, unavailable, message: "use DispatchQueue.global(qos: .default)")
public var DISPATCH_QUEUE_PRIORITY_DEFAULT: Int { fatalError() }

@available(*, unavailable, message: "use DispatchQueue.global(qos: .utility)")
public var DISPATCH_QUEUE_PRIORITY_LOW: Int { fatalError() }

@available(*, unavailable, message: "use DispatchQueue.global(qos: .background)")
public var DISPATCH_QUEUE_PRIORITY_BACKGROUND: Int { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.userInteractive")
public var QOS_CLASS_USER_INTERACTIVE: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.userInitiated")
public var QOS_CLASS_USER_INITIATED: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.default")
public var QOS_CLASS_DEFAULT: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.utility")
public var QOS_CLASS_UTILITY: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.background")
public var QOS_CLASS_BACKGROUND: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS.QoSClass.unspecified")
public var QOS_CLASS_UNSPECIFIED: qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.barrier")
public var DISPATCH_BLOCK_BARRIER: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.detached")
public var DISPATCH_BLOCK_DETACHED: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.assignCurrentContext")
public var DISPATCH_BLOCK_ASSIGN_CURRENT: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.noQoS")
public var DISPATCH_BLOCK_NO_QOS_CLASS: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.inheritQoS")
public var DISPATCH_BLOCK_INHERIT_QOS_CLASS: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItemFlags.enforceQoS")
public var DISPATCH_BLOCK_ENFORCE_QOS_CLASS: UInt { fatalError() }

@available(*, unavailable, message: "use DispatchTime.now()")
public var DISPATCH_TIME_NOW: dispatch_time_t { fatalError() }

@available(*, unavailable, renamed: "DispatchTime.distantFuture")
public var DISPATCH_TIME_FOREVER: dispatch_time_t { fatalError() }

@available(*, unavailable, message: "use DispatchTime.now() + .nanoseconds(delta)")
public func dispatch_time(_ when: dispatch_time_t, _ delta: Int64) -> dispatch_time_t {
    fatalError()
}

@available(*, unavailable, message: "use DispatchWallTime(timespec:) or DispatchWallTime.now()")
public func dispatch_walltime(_ when: Any?, _ delta: Int64) -> dispatch_time_t { fatalError() }
