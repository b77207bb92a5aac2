// GCD's C functions that are Swift methods here, with GCD's parameters: the compiler suggests the
// replacement for a call.

@available(*, unavailable, renamed: "DispatchObject.activate(self:)")
public func dispatch_activate(_ object: DispatchObject) { fatalError() }

@available(*, unavailable, renamed: "DispatchObject.suspend(self:)")
public func dispatch_suspend(_ object: DispatchObject) { fatalError() }

@available(*, unavailable, renamed: "DispatchObject.resume(self:)")
public func dispatch_resume(_ object: DispatchObject) { fatalError() }

@available(*, unavailable, renamed: "DispatchObject.setTarget(self:queue:)")
public func dispatch_set_target_queue(_ object: DispatchObject, _ queue: DispatchQueue?) {
    fatalError()
}

@available(*, unavailable, message: "references are counted by Swift")
public func dispatch_retain(_ object: DispatchObject) { fatalError() }

@available(*, unavailable, message: "references are counted by Swift")
public func dispatch_release(_ object: DispatchObject) { fatalError() }

@available(*, unavailable, renamed: "DispatchGroup.init()")
public func dispatch_group_create() -> DispatchGroup { fatalError() }

@available(*, unavailable, renamed: "DispatchGroup.enter(self:)")
public func dispatch_group_enter(_ group: DispatchGroup) { fatalError() }

@available(*, unavailable, renamed: "DispatchGroup.leave(self:)")
public func dispatch_group_leave(_ group: DispatchGroup) { fatalError() }

@available(*, unavailable, message: "use async(group:execute:) on the queue")
public func dispatch_group_async(
    _ group: DispatchGroup, _ queue: DispatchQueue,
    _ block: @escaping () -> Void
) { fatalError() }

@available(*, unavailable, renamed: "DispatchGroup.notify(self:queue:execute:)")
public func dispatch_group_notify(
    _ group: DispatchGroup, _ queue: DispatchQueue,
    _ block: @escaping () -> Void
) { fatalError() }

@available(*, unavailable, renamed: "DispatchGroup.wait(self:timeout:)")
public func dispatch_group_wait(_ group: DispatchGroup, _ timeout: dispatch_time_t) -> Int {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchSemaphore.init(value:)")
public func dispatch_semaphore_create(_ value: Int) -> DispatchSemaphore { fatalError() }

@available(*, unavailable, renamed: "DispatchSemaphore.wait(self:timeout:)")
public func dispatch_semaphore_wait(
    _ semaphore: DispatchSemaphore, _ timeout: dispatch_time_t
) -> Int { fatalError() }

@available(*, unavailable, renamed: "DispatchSemaphore.signal(self:)")
public func dispatch_semaphore_signal(_ semaphore: DispatchSemaphore) -> Int { fatalError() }

@available(*, unavailable, message: "use a static let, or DispatchOnce")
public func dispatch_once(_ token: Any, _ block: () -> Void) { fatalError() }

@available(*, unavailable, message: "use DispatchWorkItem(flags:block:)")
public func dispatch_block_create(
    _ flags: UInt, _ block: @escaping () -> Void
) -> DispatchWorkItem { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItem.perform(self:)")
public func dispatch_block_perform(_ item: DispatchWorkItem) { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItem.cancel(self:)")
public func dispatch_block_cancel(_ item: DispatchWorkItem) { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchWorkItem.isCancelled(self:)")
public func dispatch_block_testcancel(_ item: DispatchWorkItem) -> Int { fatalError() }

@available(*, unavailable, renamed: "DispatchWorkItem.wait(self:timeout:)")
public func dispatch_block_wait(_ item: DispatchWorkItem, _ timeout: dispatch_time_t) -> Int {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchWorkItem.notify(self:queue:execute:)")
public func dispatch_block_notify(
    _ item: DispatchWorkItem, _ queue: DispatchQueue, _ next: DispatchWorkItem
) { fatalError() }
