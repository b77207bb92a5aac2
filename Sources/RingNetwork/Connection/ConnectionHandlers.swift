#if TLS
public import RingTLS
#endif

/// The handlers of a connection. They run on its queue, one at a time.
///
/// The closures may share state that is not `Sendable`, such as an object of the connection's own:
///
/// ```swift
/// let counter = LineCounter()
/// connection.setHandlers(
///     ConnectionHandlers(
///         receive: { connection, bytes in counter.receive(bytes, from: connection) },
///         end: { connection in counter.end(of: connection) }))
/// ```
///
/// ``Connection/setHandlers(_:)`` takes the handlers and what they have captured as one value. The
/// compiler rejects any other use of this state afterwards, since it would be a data race.
public struct ConnectionHandlers {
    /// See ``Connection/setReceiveHandler(_:)``.
    public var receive: ((Connection, RawSpan) -> Void)?
    /// See ``Connection/setEndHandler(_:)``.
    public var end: ((Connection) -> Void)?
    /// See ``Connection/setWritableHandler(_:)``.
    public var writable: ((Connection) -> Void)?
    /// See ``Connection/setDrainHandler(_:)``.
    public var drain: ((Connection) -> Void)?
    /// See ``Connection/setCloseHandler(_:)``.
    public var close: ((Connection, CloseReason) -> Void)?
    #if TLS
    /// See ``Connection/setHandshakeHandler(_:)``.
    public var handshake: ((Connection, TLSNegotiation) -> Void)?
    #endif

    /// Creates handlers; what nil stands for is described at the methods that set single ones.
    public init(
        receive: ((Connection, RawSpan) -> Void)? = nil, end: ((Connection) -> Void)? = nil,
        writable: ((Connection) -> Void)? = nil, drain: ((Connection) -> Void)? = nil,
        close: ((Connection, CloseReason) -> Void)? = nil
    ) {
        self.receive = receive
        self.end = end
        self.writable = writable
        self.drain = drain
        self.close = close
    }

    #if TLS
    /// Creates handlers, among them that of the end of the handshake.
    @_disfavoredOverload
    public init(
        receive: ((Connection, RawSpan) -> Void)? = nil, end: ((Connection) -> Void)? = nil,
        writable: ((Connection) -> Void)? = nil, drain: ((Connection) -> Void)? = nil,
        close: ((Connection, CloseReason) -> Void)? = nil,
        handshake: ((Connection, TLSNegotiation) -> Void)?
    ) {
        self.init(receive: receive, end: end, writable: writable, drain: drain, close: close)
        self.handshake = handshake
    }
    #endif
}
