import Glibc

/// A listening Unix socket with an abstract name, for a test and its child process.
final class UnixListener: Sendable {
    private let descriptor = UnixListener.socket()

    init(_ name: String) {
        let code = UnixListener.withAddress(name) { bind(descriptor, $0, $1) }
        precondition(code == 0 && listen(descriptor, 8) == 0, "errno \(errno)")
        limitWaits(on: descriptor)
    }

    deinit { close(descriptor) }

    func accept() -> Int32 { Glibc.accept(descriptor, nil, nil) }

    static func connect(_ name: String) -> Int32 {
        let descriptor = socket()
        let code = withAddress(name) { Glibc.connect(descriptor, $0, $1) }
        precondition(code == 0, "errno \(errno)")
        return descriptor
    }

    private static func socket() -> Int32 {
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(
        _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero.
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            UnsafeMutableRawBufferPointer(rebasing: path[1...]).copyBytes(from: name.utf8)
        }
        let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
