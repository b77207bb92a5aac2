import RingNetwork

/// The datagrams and errors of a socket, in order.
final class DatagramLog: Sendable {
    let datagrams = Watched<[[UInt8]]>([])
    let failures = Watched<[DatagramFailure]>([])
    let closes = Watched<[SocketError?]>([])

    init() {}

    convenience init(of socket: DatagramSocket) {
        self.init()
        attach(to: socket)
    }

    convenience init(activating socket: DatagramSocket) {
        self.init(of: socket)
        socket.activate()
    }

    /// Sets the socket's handlers.
    func attach(to socket: DatagramSocket) {
        socket.setReceiveHandler { [datagrams] _, batch in
            batch.forEach { _, bytes in
                datagrams.append(bytes.withUnsafeBytes { Array($0) })
            }
        }
        socket.setErrorHandler { [failures] _, failure in failures.append(failure) }
        socket.setCloseHandler { [closes] _, error in closes.append(error) }
    }
}
