import Glibc

extension Client {
    /// A client of a UDP server: each send is a datagram, and so is each receive.
    static func datagrams(port: UInt16) throws -> Client {
        let socket = try make(AF_INET, SOCK_DGRAM)
        guard socket.withAddress(port: port, { Glibc.connect(socket.descriptor, $0, $1) }) == 0
        else { throw Trouble(call: "connect") }
        return Client(adopting: socket)
    }

    /// A client of a Unix socket.
    static func unix(path: String) throws -> Client {
        let socket = try make(AF_UNIX, SOCK_STREAM)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "a short path")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // Safety: the size passed is that of sockaddr_un.
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(
                    socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Trouble(call: "connect") }
        return Client(adopting: socket)
    }

    private static func make(_ family: Int32, _ type: __socket_type) throws -> LoopbackSocket {
        let flags = SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(family, Int32(type.rawValue | flags), 0)
        guard descriptor >= 0 else { throw Trouble(call: "socket") }
        return LoopbackSocket(adopting: descriptor)
    }

    /// The complete HTTP response to one request, from a server that closes afterwards.
    static func get(_ path: String, port: UInt16, method: String = "GET") throws -> String {
        let client = try Client(port: port)
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try client.send(Array(head.utf8))
        return String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
    }
}
