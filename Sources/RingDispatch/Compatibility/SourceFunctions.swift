// GCD's C functions that are Swift methods here, with GCD's parameters: the compiler suggests the
// replacement for a call.

@available(*, unavailable, message: "use the make...Source functions of DispatchSource")
public func dispatch_source_create(
    _ type: Any, _ handle: UInt, _ mask: UInt, _ queue: DispatchQueue?
) -> DispatchSource { fatalError() }

@available(*, unavailable, renamed: "DispatchSourceProtocol.setEventHandler(self:handler:)")
public func dispatch_source_set_event_handler(
    _ source: any DispatchSourceProtocol, _ handler: DispatchSourceHandler?
) { fatalError() }

@available(*, unavailable, renamed: "DispatchSourceProtocol.setCancelHandler(self:handler:)")
public func dispatch_source_set_cancel_handler(
    _ source: any DispatchSourceProtocol, _ handler: DispatchSourceHandler?
) { fatalError() }

@available(*, unavailable, renamed: "DispatchSourceProtocol.setRegistrationHandler(self:handler:)")
public func dispatch_source_set_registration_handler(
    _ source: any DispatchSourceProtocol, _ handler: DispatchSourceHandler?
) { fatalError() }

@available(*, unavailable, renamed: "DispatchSourceProtocol.cancel(self:)")
public func dispatch_source_cancel(_ source: any DispatchSourceProtocol) { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.isCancelled(self:)")
public func dispatch_source_testcancel(_ source: any DispatchSourceProtocol) -> Int { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.handle(self:)")
public func dispatch_source_get_handle(_ source: any DispatchSourceProtocol) -> UInt {
    fatalError()
}

@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.mask(self:)")
public func dispatch_source_get_mask(_ source: any DispatchSourceProtocol) -> UInt { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchSourceProtocol.data(self:)")
public func dispatch_source_get_data(_ source: any DispatchSourceProtocol) -> UInt { fatalError() }

@available(*, unavailable, message: "use add(data:), or(data:) or replace(data:) of the source")
public func dispatch_source_merge_data(_ source: any DispatchSourceProtocol, _ value: UInt) {
    fatalError()
}

@available(*, unavailable, message: "use schedule(deadline:repeating:leeway:) of the timer")
public func dispatch_source_set_timer(
    _ source: any DispatchSourceProtocol, _ start: dispatch_time_t, _ interval: UInt64,
    _ leeway: UInt64
) { fatalError() }
