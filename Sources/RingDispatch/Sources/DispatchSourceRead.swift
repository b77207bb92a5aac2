/// `data` is the number of bytes to read; 0 at the end. `DISPATCH_SOURCE_TYPE_READ`.
public protocol DispatchSourceRead: DispatchSourceProtocol {}
