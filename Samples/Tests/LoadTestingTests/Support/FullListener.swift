import Glibc
import RingNetwork

/// A server that drops its first connection, echoes one message on the second, and then leaves
/// connection requests without an answer.
final class FullListener: Sendable {
    private let descriptor = FullListener.socket()
    private let address: sockaddr_in

    init() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        _ = Self.call(&address, descriptor) { bind($0, $1, $2) }
        var size = Self.addressSize
        _ = Self.call(&address, descriptor) { descriptor, address, _ in
            getsockname(descriptor, address, &size)
        }
        listen(descriptor, 16)
        self.address = address
    }

    var endpoint: Endpoint { .ipv4(.loopback, port: UInt16(bigEndian: address.sin_port)) }

    deinit { close(descriptor) }

    func serve() {
        let (first, second) = (accept(descriptor, nil, nil), accept(descriptor, nil, nil))
        var message = [UInt8](repeating: 0, count: 64)
        recv(first, &message, 64, Int32(MSG_WAITALL))
        close(first)
        recv(second, &message, 64, Int32(MSG_WAITALL))
        // From now on there is room for one.
        listen(descriptor, 0)
        let filling = Self.socket()
        var address = address
        _ = Self.call(&address, filling) { connect($0, $1, $2) }
        send(second, message, 64, 0)
        // Until the load closes it.
        recv(second, &message, 64, 0)
        for each in [second, filling] { close(each) }
    }

    private static let addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)

    private static func socket() -> Int32 {
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func call(
        _ address: inout sockaddr_in, _ descriptor: Int32,
        _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, addressSize)
            }
        }
    }
}
