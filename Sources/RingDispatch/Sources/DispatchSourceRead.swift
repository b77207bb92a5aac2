/// `data` is the count of bytes that can be read; 0 at the end. `DISPATCH_SOURCE_TYPE_READ`.
public protocol DispatchSourceRead: DispatchSourceProtocol {}
