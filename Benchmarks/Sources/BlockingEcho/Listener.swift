import Glibc

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

/// Accepts connections on the loopback address. The first one gets the slow handler.
final class Listener: @unchecked Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let block: Block
    private let source: any DispatchSourceRead
    /// Only the listener's queue touches it.
    private var accepted = 0

    init(port wanted: UInt16, block: Block) {
        self.block = block
        (descriptor, port) = Self.listen(on: wanted)
        let queue = DispatchQueue(label: "blocking-echo.listener")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { self.acceptAll() }
        source.activate()
    }

    private func acceptAll() {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection < 0 && errno == EINTR { continue }
            if connection < 0 { return }
            var on: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, Self.size(on))
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            accepted += 1
            _ = Connection(
                descriptor: connection, number: accepted, block: accepted == 1 ? block : .none)
        }
    }

    private static func listen(on wanted: UInt16) -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        check(descriptor >= 0, "socket")
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size(on))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        // Safety: `address` outlives the three calls, which also get its size.
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                check(bind(descriptor, generic, length) == 0, "bind")
                check(Glibc.listen(descriptor, SOMAXCONN) == 0, "listen")
                check(getsockname(descriptor, generic, &length) == 0, "getsockname")
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func size<Value>(_ value: Value) -> socklen_t {
        socklen_t(MemoryLayout<Value>.size)
    }

    private static func check(_ condition: Bool, _ call: String) {
        precondition(condition, "\(call) failed with errno \(errno)")
    }
}
