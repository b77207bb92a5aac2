// GCD's C functions that are Swift methods here, with GCD's parameters: the compiler suggests the
// replacement for a call.

@available(*, unavailable, renamed: "DispatchIO.init(type:fileDescriptor:queue:cleanupHandler:)")
public func dispatch_io_create(
    _ type: UInt, _ descriptor: dispatch_fd_t, _ queue: DispatchQueue,
    _ cleanup: @escaping (Int32) -> Void
) -> Any { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.init(type:path:oflag:mode:queue:cleanupHandler:)")
public func dispatch_io_create_with_path(
    _ type: UInt, _ path: String, _ flags: Int32, _ mode: UInt32, _ queue: DispatchQueue,
    _ cleanup: @escaping (Int32) -> Void
) -> Any { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.init(type:io:queue:cleanupHandler:)")
public func dispatch_io_create_with_io(
    _ type: UInt, _ channel: Any, _ queue: DispatchQueue, _ cleanup: @escaping (Int32) -> Void
) -> Any { fatalError() }

@available(
    *, unavailable,
    renamed: "DispatchIO.read(fromFileDescriptor:maxLength:runningHandlerOn:handler:)"
)
public func dispatch_read(
    _ descriptor: dispatch_fd_t, _ length: Int, _ queue: DispatchQueue,
    _ handler: @escaping (Any, Int32) -> Void
) { fatalError() }

@available(
    *, unavailable,
    renamed: "DispatchIO.write(toFileDescriptor:data:runningHandlerOn:handler:)"
)
public func dispatch_write(
    _ descriptor: dispatch_fd_t, _ data: Any, _ queue: DispatchQueue,
    _ handler: @escaping (Any?, Int32) -> Void
) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.read(self:offset:length:queue:ioHandler:)")
public func dispatch_io_read(
    _ channel: Any, _ offset: Int, _ length: Int, _ queue: DispatchQueue,
    _ handler: @escaping (Bool, Any?, Int32) -> Void
) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.write(self:offset:data:queue:ioHandler:)")
public func dispatch_io_write(
    _ channel: Any, _ offset: Int, _ data: Any, _ queue: DispatchQueue,
    _ handler: @escaping (Bool, Any?, Int32) -> Void
) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.barrier(self:execute:)")
public func dispatch_io_barrier(_ channel: Any, _ block: @escaping () -> Void) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.close(self:flags:)")
public func dispatch_io_close(_ channel: Any, _ flags: UInt) { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchIO.fileDescriptor(self:)")
public func dispatch_io_get_descriptor(_ channel: Any) -> dispatch_fd_t { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.setLimit(self:highWater:)")
public func dispatch_io_set_high_water(_ channel: Any, _ bytes: Int) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.setLimit(self:lowWater:)")
public func dispatch_io_set_low_water(_ channel: Any, _ bytes: Int) { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.setInterval(self:interval:flags:)")
public func dispatch_io_set_interval(_ channel: Any, _ nanoseconds: UInt64, _ flags: UInt) {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchData.init(bytes:)")
public func dispatch_data_create(
    _ bytes: UnsafeRawPointer, _ count: Int, _ queue: DispatchQueue?, _ destructor: Any?
) -> Any { fatalError() }

@available(*, unavailable, renamed: "getter:DispatchData.count(self:)")
public func dispatch_data_get_size(_ data: Any) -> Int { fatalError() }

@available(*, unavailable, renamed: "DispatchData.append(self:_:)")
public func dispatch_data_create_concat(_ data: Any, _ other: Any) -> Any { fatalError() }

@available(*, unavailable, renamed: "DispatchData.subdata(self:in:)")
public func dispatch_data_create_subrange(_ data: Any, _ offset: Int, _ length: Int) -> Any {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchData.withUnsafeBytes(self:body:)")
public func dispatch_data_create_map(_ data: Any, _ bytes: Any?, _ count: Any?) -> Any {
    fatalError()
}

@available(*, unavailable, renamed: "DispatchData.enumerateBytes(self:_:)")
public func dispatch_data_apply(
    _ data: Any, _ body: (Any, Int, UnsafeRawPointer, Int) -> Bool
) -> Bool { fatalError() }

@available(*, unavailable, renamed: "DispatchData.region(self:location:)")
public func dispatch_data_copy_region(_ data: Any, _ location: Int, _ offset: Any?) -> Any {
    fatalError()
}
