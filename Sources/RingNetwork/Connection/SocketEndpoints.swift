internal import LinuxPlatform

/// The two ends of a connected socket.
package struct SocketEndpoints {
    let local: Endpoint?
    let remote: Endpoint?
    let isUnix: Bool
}

extension SocketEndpoints {
    /// Asks the kernel.
    init(of descriptor: Int32, isUnix: Bool? = nil) {
        local = SocketEndpoints.local(of: descriptor)
        remote = Sockets.remoteAddress(of: descriptor).flatMap { Endpoint($0) }
        self.isUnix = isUnix ?? Sockets.isUnix(descriptor)
    }

    static func local(of descriptor: Int32) -> Endpoint? {
        Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) }
    }
}
