import Glibc
import LinuxPlatform

/// Two sockets that are connected to each other: Unix sockets, or TCP over loopback.
struct SocketPair: ~Copyable {
    let near: OwnedDescriptor
    let far: OwnedDescriptor

    init() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        near = OwnedDescriptor(adopting: ends[0])
        far = OwnedDescriptor(adopting: ends[1])
    }

    private init(near: consuming OwnedDescriptor, far: consuming OwnedDescriptor) {
        self.near = near
        self.far = far
    }

    static func tcp() throws -> SocketPair {
        let listener = OwnedDescriptor(
            adopting: try Sockets.listen(
                at: SocketAddress(ipv4: 0x7f00_0001, port: 0), ListeningSettings()))
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(listener.number, address, &length)
                let far = OwnedDescriptor(
                    adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
                // The kernel takes the connection before it is accepted.
                connect(far.number, address, length)
                let near = OwnedDescriptor(adopting: Glibc.accept(listener.number, nil, nil))
                return SocketPair(near: near, far: far)
            }
        }
    }

    func send() { send("x") }

    func send(_ text: String, flags: Int32 = 0) {
        _ = Glibc.send(far.number, text, text.utf8.count, flags)
    }

    /// The far end sends nothing more.
    func finish() { shutdown(far.number, Int32(SHUT_WR)) }
}
