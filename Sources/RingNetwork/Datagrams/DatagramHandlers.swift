/// The handlers of a datagram socket. They run on its queue, one at a time.
///
/// They may share state that is not `Sendable`, as those of a connection: see
/// ``ConnectionHandlers``.
public struct DatagramHandlers {
    /// See ``DatagramSocket/setReceiveHandler(_:)``.
    public var receive: ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)?
    /// See ``DatagramSocket/setErrorHandler(_:)``.
    public var error: ((DatagramSocket, DatagramFailure) -> Void)?
    /// See ``DatagramSocket/setWritableHandler(_:)``.
    public var writable: ((DatagramSocket) -> Void)?
    /// See ``DatagramSocket/setCloseHandler(_:)``.
    public var close: ((DatagramSocket, SocketError?) -> Void)?

    /// Creates handlers; what nil stands for is described at the methods that set single ones.
    public init(
        receive: ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)? = nil,
        error: ((DatagramSocket, DatagramFailure) -> Void)? = nil,
        writable: ((DatagramSocket) -> Void)? = nil,
        close: ((DatagramSocket, SocketError?) -> Void)? = nil
    ) {
        self.receive = receive
        self.error = error
        self.writable = writable
        self.close = close
    }
}
