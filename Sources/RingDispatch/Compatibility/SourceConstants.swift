// GCD's C constants that are Swift members here: the compiler suggests the replacement.

@available(*, unavailable, message: "use DispatchSource.makeReadSource(fileDescriptor:queue:)")
public var DISPATCH_SOURCE_TYPE_READ: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeWriteSource(fileDescriptor:queue:)")
public var DISPATCH_SOURCE_TYPE_WRITE: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeTimerSource(flags:queue:)")
public var DISPATCH_SOURCE_TYPE_TIMER: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeSignalSource(signal:queue:)")
public var DISPATCH_SOURCE_TYPE_SIGNAL: Any { fatalError() }

@available(
    *, unavailable,
    message: "use DispatchSource.makeProcessSource(identifier:eventMask:queue:)"
)
public var DISPATCH_SOURCE_TYPE_PROC: Any { fatalError() }

@available(
    *, unavailable,
    message: "use DispatchSource.makeFileSystemObjectSource(fileDescriptor:eventMask:queue:)"
)
public var DISPATCH_SOURCE_TYPE_VNODE: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeUserDataAddSource(queue:)")
public var DISPATCH_SOURCE_TYPE_DATA_ADD: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeUserDataOrSource(queue:)")
public var DISPATCH_SOURCE_TYPE_DATA_OR: Any { fatalError() }

@available(*, unavailable, message: "use DispatchSource.makeUserDataReplaceSource(queue:)")
public var DISPATCH_SOURCE_TYPE_DATA_REPLACE: Any { fatalError() }

@available(*, unavailable, message: "there are no memory-pressure sources on Linux")
public var DISPATCH_MEMORYPRESSURE_NORMAL: UInt { fatalError() }

@available(*, unavailable, message: "there are no memory-pressure sources on Linux")
public var DISPATCH_MEMORYPRESSURE_WARN: UInt { fatalError() }

@available(*, unavailable, message: "there are no memory-pressure sources on Linux")
public var DISPATCH_MEMORYPRESSURE_CRITICAL: UInt { fatalError() }

@available(*, unavailable, message: "there are no Mach ports on Linux")
public var DISPATCH_MACH_SEND_DEAD: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.TimerFlags.strict")
public var DISPATCH_TIMER_STRICT: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.delete")
public var DISPATCH_VNODE_DELETE: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.write")
public var DISPATCH_VNODE_WRITE: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.extend")
public var DISPATCH_VNODE_EXTEND: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.attrib")
public var DISPATCH_VNODE_ATTRIB: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.link")
public var DISPATCH_VNODE_LINK: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.rename")
public var DISPATCH_VNODE_RENAME: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.revoke")
public var DISPATCH_VNODE_REVOKE: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.FileSystemEvent.funlock")
public var DISPATCH_VNODE_FUNLOCK: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.ProcessEvent.exit")
public var DISPATCH_PROC_EXIT: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.ProcessEvent.fork")
public var DISPATCH_PROC_FORK: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.ProcessEvent.exec")
public var DISPATCH_PROC_EXEC: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchSource.ProcessEvent.signal")
public var DISPATCH_PROC_SIGNAL: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.StreamType.stream")
public var DISPATCH_IO_STREAM: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.StreamType.random")
public var DISPATCH_IO_RANDOM: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.CloseFlags.stop")
public var DISPATCH_IO_STOP: UInt { fatalError() }

@available(*, unavailable, renamed: "DispatchIO.IntervalFlags.strictInterval")
public var DISPATCH_IO_STRICT_INTERVAL: UInt { fatalError() }
