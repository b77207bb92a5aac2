import Glibc
import RingDispatch
import RingNetwork
import Testing

/// A plain blocking UDP socket of 127.0.0.1, or one end of a pair of Unix sockets for datagrams,
/// with a limit on every wait. On a thread of the runtime calls may be interrupted, and are made
/// again.
final class PlainDatagrams: @unchecked Sendable {
    // Safety: used by one thread at a time.
    let descriptor: Int32
    /// Where it is bound; 0 for Unix sockets.
    let port: UInt16

    private static let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)

    init(descriptor: Int32, port: UInt16 = 0) {
        self.descriptor = descriptor
        self.port = port
        var limit = timeval(tv_sec: Patience.seconds, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    }

    /// Bound to a free port.
    convenience init() {
        let descriptor = socket(AF_INET, PlainDatagrams.kind, 0)
        var address = PlainDatagrams.address(0)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = PlainDatagrams.with(&address) { bind(descriptor, $0, length) }
        precondition(code == 0, "bind: errno \(errno)")
        var size = length
        _ = PlainDatagrams.with(&address) { getsockname(descriptor, $0, &size) }
        self.init(descriptor: descriptor, port: UInt16(bigEndian: address.sin_port))
    }

    deinit { Glibc.close(descriptor) }

    /// A pair of connected Unix sockets: one to be adopted, the other as a plain one.
    static func pair() -> (Int32, PlainDatagrams) {
        var pair: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        return (pair[0], PlainDatagrams(descriptor: pair[1]))
    }

    var endpoint: Endpoint { .ipv4(.loopback, port: port) }

    private static func address(_ port: UInt16, _ host: UInt32 = 0x7f00_0001) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    private static func with<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    /// To a port of this machine.
    @discardableResult
    func send(_ bytes: [UInt8], to port: UInt16, host: UInt32 = 0x7f00_0001) -> Bool {
        var address = PlainDatagrams.address(port, host)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return PlainDatagrams.with(&address) { address in
            while true {
                let count = sendto(descriptor, bytes, bytes.count, 0, address, length)
                if count >= 0 || errno != EINTR { return count == bytes.count }
            }
        }
    }

    /// To the other end of a pair.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        while true {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 || errno != EINTR { return count == bytes.count }
        }
    }

    /// The next datagram and its sender's port and address; nil when the wait takes too long.
    func receiveFrom(flags: Int32 = 0) -> (bytes: [UInt8], port: UInt16, host: UInt32)? {
        var bytes = [UInt8](repeating: 0, count: 70_000)
        var address = sockaddr_in()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = PlainDatagrams.with(&address) {
                recvfrom(descriptor, &bytes, bytes.count, flags, $0, &length)
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return nil }
            return (
                Array(bytes[..<count]), UInt16(bigEndian: address.sin_port),
                UInt32(bigEndian: address.sin_addr.s_addr)
            )
        }
    }

    func receive() -> [UInt8]? { receiveFrom()?.bytes }

    /// What is there now.
    func receiveNow() -> [UInt8]? { receiveFrom(flags: Int32(MSG_DONTWAIT))?.bytes }
}

/// What a socket has received, and was told, in order.
final class DatagramLog: Sendable {
    let datagrams = Watched<[[UInt8]]>([])
    let failures = Watched<[DatagramFailure]>([])
    let closes = Watched<[SocketError?]>([])

    /// Sets the socket's handlers.
    func attach(to socket: DatagramSocket) {
        socket.setReceiveHandler { [datagrams] _, batch in
            batch.forEach { _, bytes in
                let bytes = bytes.withUnsafeBytes { Array($0) }
                datagrams.update { $0.append(bytes) }
            }
        }
        socket.setErrorHandler { [failures] _, failure in failures.update { $0.append(failure) } }
        socket.setCloseHandler { [closes] _, error in closes.update { $0.append(error) } }
    }
}

/// Closes a socket and waits for its close handler.
func closeAndWait(_ socket: DatagramSocket) {
    let closed = Gate()
    socket.setCloseHandler { _, _ in closed.open() }
    socket.close()
    expectOpens(closed, "the socket did not close")
}

extension DatagramSocket {
    /// An active socket of 127.0.0.1 that answers everything.
    static func echo(
        _ options: DatagramOptions = DatagramOptions(), rule: DatagramAnswerRule? = nil
    ) throws -> DatagramSocket {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        socket.setReceiveHandler { socket, batch in
            batch.forEach { datagram, bytes in
                guard rule?.allows(datagram, on: socket) ?? true else { return }
                socket.reply(bytes, to: datagram)
            }
        }
        socket.activate()
        return socket
    }

    var port: UInt16 { localEndpoint?.port ?? 0 }

    var countersNow: DatagramCounters { queue.sync { counters } }
}
