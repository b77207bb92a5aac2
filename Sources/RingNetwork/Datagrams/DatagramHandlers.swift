/// What a datagram socket calls. Belongs to its queue.
struct DatagramHandlers {
    var receive: ((DatagramSocket, borrowing ReceivedDatagrams) -> Void)?
    var error: ((DatagramSocket, DatagramFailure) -> Void)?
    var writable: ((DatagramSocket) -> Void)?
    var close: ((DatagramSocket, SocketError?) -> Void)?
}
