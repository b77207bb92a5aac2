import Glibc

/// A TCP socket of 127.0.0.1, non-blocking: waiting is done with poll(2) and a deadline.
final class LoopbackSocket: @unchecked Sendable {
    // Safety: one thread at a time uses it; another may only shut it down.
    let descriptor: Int32
    private var isOpen = true

    init(adopting descriptor: Int32) { self.descriptor = descriptor }

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Trouble(call: "socket") }
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        Glibc.close(descriptor)
    }

    /// Binds a socket to a free port. Connections are refused until it listens, and no other socket
    /// can take the port.
    static func bound() throws -> LoopbackSocket {
        let socket = try LoopbackSocket()
        guard socket.withAddress(port: 0, { bind(socket.descriptor, $0, $1) }) == 0 else {
            throw Trouble(call: "bind")
        }
        return socket
    }

    static func listening() throws -> LoopbackSocket {
        let socket = try bound()
        guard listen(socket.descriptor, SOMAXCONN) == 0 else { throw Trouble(call: "listen") }
        return socket
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func withAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        // Safety: the size passed is that of sockaddr_in.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The pending events; none at the deadline.
    func poll(_ events: Int32, until deadline: Deadline) -> Int32 {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = Glibc.poll(&entry, 1, deadline.millisecondsLeft)
            if count < 0, errno == EINTR { continue }
            if count > 0 { return Int32(entry.revents) }
            if deadline.isOver { return 0 }
        }
    }
}
