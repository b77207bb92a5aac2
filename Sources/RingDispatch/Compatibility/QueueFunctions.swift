// GCD's C functions that are Swift methods here, with GCD's parameters: the compiler suggests the
// replacement for a call.

@available(
    *, unavailable,
    renamed: "DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)"
)
public func dispatch_queue_create(_ label: String?, _ attributes: Any?) -> DispatchQueue {
    fatalError()
}

@available(
    *, unavailable,
    renamed: "DispatchQueue.init(label:qos:attributes:autoreleaseFrequency:target:)"
)
public func dispatch_queue_create_with_target(
    _ label: String?, _ attributes: Any?, _ target: DispatchQueue?
) -> DispatchQueue { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.Attributes.initiallyInactive")
public func dispatch_queue_attr_make_initially_inactive(_ attributes: Any?) -> Any { fatalError() }

@available(
    *, unavailable, message: "pass autoreleaseFrequency: to the initializer of DispatchQueue"
)
public func dispatch_queue_attr_make_with_autorelease_frequency(
    _ attributes: Any?, _ frequency: Any
) -> Any { fatalError() }

@available(*, unavailable, renamed: "DispatchQoS")
public func dispatch_queue_attr_make_with_qos_class(
    _ attributes: Any?, _ qosClass: qos_class_t, _ relativePriority: Int32
) -> Any { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchQueue.main()")
public func dispatch_get_main_queue() -> DispatchQueue { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.global(qos:)")
public func dispatch_get_global_queue(_ identifier: Int, _ flags: UInt) -> DispatchQueue {
    fatalError()
}

@available(
    *, unavailable,
    message: "use dispatchPrecondition(condition:) or DispatchQueue.getSpecific(key:)"
)
public func dispatch_get_current_queue() -> DispatchQueue { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchQueue.label(self:)")
public func dispatch_queue_get_label(_ queue: DispatchQueue?) -> String { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchQueue.qos(self:)")
public func dispatch_queue_get_qos_class(
    _ queue: DispatchQueue, _ relativePriority: Any?
) -> qos_class_t { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.async(self:execute:)")
public func dispatch_async(_ queue: DispatchQueue, _ block: @escaping () -> Void) { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.sync(self:execute:)")
public func dispatch_sync(_ queue: DispatchQueue, _ block: () -> Void) { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.asyncAndWait(self:execute:)")
public func dispatch_async_and_wait(_ queue: DispatchQueue, _ block: () -> Void) { fatalError() }

@available(*, unavailable, message: "use async(flags: .barrier) on the queue")
public func dispatch_barrier_async(_ queue: DispatchQueue, _ block: @escaping () -> Void) {
    fatalError()
}

@available(*, unavailable, message: "use sync(flags: .barrier) on the queue")
public func dispatch_barrier_sync(_ queue: DispatchQueue, _ block: () -> Void) { fatalError() }

@available(*, unavailable, message: "use asyncAndWait(flags: .barrier) on the queue")
public func dispatch_barrier_async_and_wait(_ queue: DispatchQueue, _ block: () -> Void) {
    fatalError()
}

@available(*, unavailable, message: "use asyncAfter(deadline:execute:) on the queue")
public func dispatch_after(
    _ when: dispatch_time_t, _ queue: DispatchQueue,
    _ block: @escaping () -> Void
) { fatalError() }

@available(*, unavailable, message: "use DispatchQueue.concurrentPerform(iterations:execute:)")
public func dispatch_apply(_ iterations: Int, _ queue: DispatchQueue?, _ block: (Int) -> Void) {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchQueue.setSpecific(self:key:value:)")
public func dispatch_queue_set_specific(
    _ queue: DispatchQueue, _ key: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?,
    _ destructor: Any?
) { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.getSpecific(self:key:)")
public func dispatch_queue_get_specific(
    _ queue: DispatchQueue, _ key: UnsafeRawPointer
) -> UnsafeMutableRawPointer? { fatalError() }

@available(*, unavailable, renamed: "DispatchQueue.getSpecific(key:)")
public func dispatch_get_specific(_ key: UnsafeRawPointer) -> UnsafeMutableRawPointer? {
    fatalError()
}

@available(*, unavailable, message: "use dispatchPrecondition(condition: .onQueue(queue))")
public func dispatch_assert_queue(_ queue: DispatchQueue) { fatalError() }

@available(*, unavailable, message: "use dispatchPrecondition(condition: .onQueueAsBarrier(queue))")
public func dispatch_assert_queue_barrier(_ queue: DispatchQueue) { fatalError() }

@available(*, unavailable, message: "use dispatchPrecondition(condition: .notOnQueue(queue))")
public func dispatch_assert_queue_not(_ queue: DispatchQueue) { fatalError() }

@available(*, unavailable, renamed: "dispatchMain()")
public func dispatch_main() -> Never { fatalError() }
