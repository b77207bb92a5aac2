package import Glibc

/// An address of 127.0.0.0/8 for the C library's calls.
extension sockaddr_in {
    package init(port: UInt16, host: UInt32 = 0x7f00_0001) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = host.bigEndian
    }

    package static let length = socklen_t(MemoryLayout<sockaddr_in>.size)

    package mutating func withSockaddr<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}

/// Connects a plain socket to a port of this machine.
package func connect(_ descriptor: Int32, to port: UInt16) {
    var address = sockaddr_in(port: port)
    let code = address.withSockaddr { Glibc.connect(descriptor, $0, sockaddr_in.length) }
    precondition(code == 0, "connect: errno \(errno)")
}
