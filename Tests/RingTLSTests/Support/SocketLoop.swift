#if TLS
import Glibc

@testable import RingTLS

/// An engine on a blocking socket, as a program without RingNetwork would use it.
final class SocketLoop {
    let side: Side
    private let socket: Int32

    init(_ side: Side, socket: Int32) {
        self.side = side
        self.socket = socket
        var limit = timeval(tv_sec: Command.patienceSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    }

    deinit { close(socket) }

    /// Sends the engine's output.
    func flush() {
        var rest = side.outbox[...]
        side.outbox = []
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Receives until `condition` holds. False if the stream ended or the time ran out before.
    func run(until condition: (Side) -> Bool) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        flush()
        while !condition(side) {
            let count = recv(socket, &buffer, buffer.count, 0)
            // With SO_RCVTIMEO, a signal ends the call whatever its handler's flags are. signal(7).
            if count < 0, errno == EINTR { continue }
            if count == 0 { side.end() }
            if count <= 0 { return condition(side) }
            side.receive(buffer[..<count])
            flush()
        }
        return true
    }

    /// A listening socket of 127.0.0.1, and the port that the kernel chose.
    static func listen() -> (socket: Int32, port: UInt16) {
        let listener = Glibc.socket(AF_INET, socketKind, 0)
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withAddress(&address) { precondition(bind(listener, $0, size) == 0, "errno \(errno)") }
        precondition(Glibc.listen(listener, 4) == 0, "errno \(errno)")
        withAddress(&address) { _ = getsockname(listener, $0, &size) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection, or -1 when none comes.
    static func accept(_ listener: Int32) -> Int32 {
        guard Command.waitUntilReadable(listener) else { return -1 }
        return Glibc.accept(listener, nil, nil)
    }

    static func connect(_ port: UInt16) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, socketKind, 0)
        var address = loopback(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withAddress(&address) { Glibc.connect(descriptor, $0, size) }
        precondition(result == 0, "errno \(errno)")
        return descriptor
    }

    private static let socketKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func withAddress<Result>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
#endif
