import Glibc
import RingDispatch
import RingNetwork
import Testing

/// A plain blocking UDP socket of 127.0.0.1, or one end of a pair of Unix sockets for datagrams,
/// with a limit on every wait. Calls are retried, because signals interrupt them on threads of the
/// runtime.
final class PlainDatagrams: @unchecked Sendable {
    // Safety: used by one thread at a time.
    let descriptor: Int32
    /// The bound port; 0 for Unix sockets.
    let port: UInt16

    private static let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)

    init(descriptor: Int32, port: UInt16 = 0) {
        self.descriptor = descriptor
        self.port = port
        limitWaits(on: descriptor)
    }

    /// Bound to a free port.
    convenience init() {
        let descriptor = socket(AF_INET, PlainDatagrams.kind, 0)
        var address = sockaddr_in(port: 0)
        var length = sockaddr_in.length
        let isBound = address.withSockaddr {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
        precondition(isBound, "errno \(errno)")
        self.init(descriptor: descriptor, port: UInt16(bigEndian: address.sin_port))
    }

    deinit { Glibc.close(descriptor) }

    /// A pair of connected Unix sockets: one to adopt, the other plain.
    static func pair() -> (Int32, PlainDatagrams) {
        var pair: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        return (pair[0], PlainDatagrams(descriptor: pair[1]))
    }

    var endpoint: Endpoint { .ipv4(.loopback, port: port) }

    /// To a port of this machine.
    @discardableResult
    func send(_ bytes: [UInt8], to port: UInt16, host: UInt32 = 0x7f00_0001) -> Bool {
        var address = sockaddr_in(port: port, host: host)
        return address.withSockaddr { address in
            while true {
                let count = sendto(
                    descriptor, bytes, bytes.count, 0, address, sockaddr_in.length)
                if count >= 0 || errno != EINTR { return count == bytes.count }
            }
        }
    }

    /// To the peer of a pair.
    func sendConnected(_ bytes: [UInt8]) {
        while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
            precondition(errno == EINTR, "errno \(errno)")
        }
    }

    /// The next datagram and its sender's port and address; nil when the wait takes too long.
    func receiveFrom(flags: Int32 = 0) -> (bytes: [UInt8], port: UInt16, host: UInt32)? {
        var bytes = [UInt8](repeating: 0, count: 70_000)
        var address = sockaddr_in()
        while true {
            var length = sockaddr_in.length
            let count = address.withSockaddr {
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

    /// The next datagram, without waiting.
    func receiveNow() -> [UInt8]? { receiveFrom(flags: Int32(MSG_DONTWAIT))?.bytes }
}

/// Closes sockets, one after the other, and waits for their close handlers.
func closeAndWait(_ sockets: DatagramSocket...) {
    for socket in sockets {
        let closed = Gate()
        socket.setCloseHandler { _, _ in closed.open() }
        socket.close()
        expectOpens(closed, "the socket did not close")
    }
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

    /// A socket of 127.0.0.1 that is not active yet.
    static func local(
        _ configure: (inout DatagramOptions) -> Void = { _ in }
    ) throws -> DatagramSocket {
        var options = DatagramOptions()
        configure(&options)
        return try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
    }

    var port: UInt16 { localEndpoint?.port ?? 0 }

    var countersNow: DatagramCounters { queue.sync { counters } }
}
