/// A connection's handlers. They belong to its queue.
struct ConnectionHandlers {
    var receive: ((Connection, RawSpan) -> Void)?
    var end: ((Connection) -> Void)?
    var writable: ((Connection) -> Void)?
    var close: ((Connection, CloseReason) -> Void)?
}
