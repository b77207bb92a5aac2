import Glibc
import RingNetwork

/// A local address that does not answer: a listening socket with a full backlog, so that the kernel
/// drops connection requests.
final class Blackhole {
    let endpoint: Endpoint
    private let listener: Int32
    private var fillers: [Int32] = []

    /// - Parameter host: 127.x.y.z.
    init(_ host: IPv4Address) {
        let listener = Blackhole.makeSocket()
        self.listener = listener
        var address = sockaddr_in(port: 0, host: host.rawValue)
        var length = sockaddr_in.length
        var code = address.withSockaddr {
            bind(listener, $0, length) == 0 && listen(listener, 0) == 0
                && getsockname(listener, $0, &length) == 0
        }
        precondition(code, "errno \(errno)")
        let port = UInt16(bigEndian: address.sin_port)
        endpoint = .ipv4(host, port: port)
        // More than a backlog of 0 holds: some connect, the others get no answer.
        for _ in 0..<4 {
            let filler = Blackhole.makeSocket()
            fillers.append(filler)
            code = address.withSockaddr {
                connect(filler, $0, length) == 0 || errno == EINPROGRESS
            }
            precondition(code, "errno \(errno)")
        }
        // Until one connects, another might take the place.
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&entry, 1, 1000) <= 0 {}
    }

    deinit {
        for filler in fillers { close(filler) }
        close(listener)
    }

    private static func makeSocket() -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socket(AF_INET, Int32(kind), 0)
    }

    /// A Unix socket that is bound but does not listen.
    static func bindUnix(_ path: String, _ type: __socket_type = SOCK_STREAM) -> Int32 {
        let kind = Int32(type.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(code == 0, "errno \(errno)")
        return descriptor
    }
}
