import Glibc

/// An address of 127.0.0.0/8 for the C library's calls.
extension sockaddr_in {
    init(port: UInt16, host: UInt32 = 0x7f00_0001) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = host.bigEndian
    }

    static let length = socklen_t(MemoryLayout<sockaddr_in>.size)

    mutating func withSockaddr<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}

/// Connects a plain socket to a port of this machine.
func connect(_ descriptor: Int32, to port: UInt16) {
    var address = sockaddr_in(port: port)
    let code = address.withSockaddr { Glibc.connect(descriptor, $0, sockaddr_in.length) }
    precondition(code == 0, "connect: errno \(errno)")
}

/// Limits how long calls on a plain socket may block.
func limitWaits(on descriptor: Int32) {
    var limit = timeval(tv_sec: Patience.seconds, tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
}

/// getsockopt(2) for a number; nil where the socket has no such option.
func socketOption(_ descriptor: Int32, _ level: Int, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, Int32(level), name, &value, &length) == 0 ? value : nil
}
