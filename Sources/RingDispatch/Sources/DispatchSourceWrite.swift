/// `data` is the room for writing, in bytes. `DISPATCH_SOURCE_TYPE_WRITE`.
public protocol DispatchSourceWrite: DispatchSourceProtocol {}
