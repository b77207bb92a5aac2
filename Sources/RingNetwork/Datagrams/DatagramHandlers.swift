/// A datagram socket's handlers. They belong to its queue.
struct DatagramHandlers {
    var receive: ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)?
    var error: ((DatagramSocket, DatagramFailure) -> Void)?
    var writable: ((DatagramSocket) -> Void)?
    var close: ((DatagramSocket, SocketError?) -> Void)?
}
