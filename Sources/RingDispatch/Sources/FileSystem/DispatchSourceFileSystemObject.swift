/// Tells what happened to an open file or directory. `DISPATCH_SOURCE_TYPE_VNODE`.
///
/// `data` is what happened since the handler's last call, of what `mask` asks for. It is about the
/// object, not its name: after a rename or a removal the source goes on.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    /// The descriptor. `dispatch_source_get_handle`.
    var handle: Int32 { get }
    /// What happened since the handler's last call; for use in the handler.
    /// `dispatch_source_get_data`.
    var data: DispatchSource.FileSystemEvent { get }
    /// What was asked for. `dispatch_source_get_mask`.
    var mask: DispatchSource.FileSystemEvent { get }
    /// Why the file is not watched; nil while all is well. No counterpart in GCD.
    ///
    /// It is set when the source is activated and the kernel refuses, for want of watches for
    /// instance. The event handler is called once then, with `data` empty (a registration handler
    /// sees it already). The source tells nothing any more: cancel it, and make another once the
    /// cause is gone.
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
