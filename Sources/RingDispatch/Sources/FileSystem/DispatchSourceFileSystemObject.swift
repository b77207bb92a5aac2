/// Reports events of an open file or directory. `DISPATCH_SOURCE_TYPE_VNODE`.
///
/// `data` holds the events of `mask` that happened since the handler's last call. They concern the
/// object, not its name: the source continues after a rename or a removal.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    /// The descriptor. `dispatch_source_get_handle`.
    var handle: Int32 { get }
    /// The events since the handler's last call. Valid in the handler. `dispatch_source_get_data`.
    var data: DispatchSource.FileSystemEvent { get }
    /// The requested events. `dispatch_source_get_mask`.
    var mask: DispatchSource.FileSystemEvent { get }
    /// Why the file is not watched; nil if it is. Not in GCD.
    ///
    /// Set when the kernel refuses the watch at activation, for example because the user has no
    /// watches left. The event handler is then called once, with `data` empty (a registration
    /// handler sees the error already). The source reports nothing more: cancel it, and make
    /// another one once the cause is gone.
    var error: FileSystemWatchError? { get }
}

extension DispatchSourceFileSystemObject {
    public var handle: Int32 {
        Int32(truncatingIfNeeded: (self as any DispatchSourceProtocol).handle)
    }

    public var data: DispatchSource.FileSystemEvent {
        DispatchSource.FileSystemEvent(rawValue: (self as any DispatchSourceProtocol).data)
    }

    public var mask: DispatchSource.FileSystemEvent {
        DispatchSource.FileSystemEvent(rawValue: (self as any DispatchSourceProtocol).mask)
    }
}
