import Glibc
import Testing

/// The other end of a connection: a plain blocking socket, with a limit on every wait. Calls are
/// retried, because signals interrupt them on threads of the runtime.
final class Wire: @unchecked Sendable {
    // Safety: used by one thread at a time.
    let descriptor: Int32
    private var isOpen = true

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        limitWaits(on: descriptor)
    }

    deinit { close() }

    /// A pair of stream sockets: one for a connection to adopt, the other as a wire.
    static func pair() -> (Int32, Wire) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        return (pair[0], Wire(pair[1]))
    }

    /// Connects over TCP to a listener of this machine.
    static func connect(to port: UInt16) -> Wire {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        RingNetworkTests.connect(descriptor, to: port)
        return Wire(descriptor)
    }

    /// Returns whether the kernel took all bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                Glibc.send(
                    descriptor, all.baseAddress! + sent, all.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else if errno != EINTR { return false }
        }
        return true
    }

    /// Reads up to `count` bytes; fewer at the end, or when the wait takes too long.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let result = bytes.withUnsafeMutableBytes { all in
                recv(descriptor, all.baseAddress! + received, count - received, 0)
            }
            if result == 0 || result < 0 && errno != EINTR { break }
            received += max(0, result)
        }
        return Array(bytes[..<received])
    }

    /// A pair over TCP.
    /// - Parameter room: about how many bytes the kernel holds; nil: what it likes.
    static func tcpPair(room: Int32? = nil) -> (Int32, Wire) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let (listener, far) = (socket(AF_INET, kind, 0), socket(AF_INET, kind, 0))
        defer { Glibc.close(listener) }
        if let room {
            setSocketOption(listener, SOL_SOCKET, SO_SNDBUF, room)
            setSocketOption(far, SOL_SOCKET, SO_RCVBUF, room)
        }
        var address = sockaddr_in(port: 0)
        var length = sockaddr_in.length
        precondition(
            address.withSockaddr { bind(listener, $0, length) } == 0 && listen(listener, 1) == 0
                && address.withSockaddr { getsockname(listener, $0, &length) } == 0,
            "errno \(errno)")
        RingNetworkTests.connect(far, to: UInt16(bigEndian: address.sin_port))
        let near = accept(listener, nil, nil)
        precondition(near >= 0 && fcntl(near, F_SETFD, FD_CLOEXEC) == 0, "errno \(errno)")
        return (near, Wire(far))
    }

    /// Sends the bytes and returns whether they are echoed.
    func echoes(_ bytes: [UInt8]) -> Bool { send(bytes) && receive(bytes.count) == bytes }

    /// Returns 0 at the end of the stream, 0xfff if a byte was received, or an errno.
    func receiveEnd() -> Int32 {
        var byte: UInt8 = 0
        while true {
            let result = recv(descriptor, &byte, 1, 0)
            if result == 0 { return 0 }
            if result > 0 { return 0xfff }
            if errno != EINTR { return errno }
        }
    }

    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Closes with a reset (RST).
    func abort() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }
}

/// The bytes of `patterned`, which repeat after 65536.
private let pattern = (0..<65_536).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8)) }

/// Bytes that depend on their position. Quick to make, however many they are.
func patterned(_ count: Int, seed: Int = 0) -> [UInt8] {
    let start = seed &* 4099 & 0xffff
    var bytes = Array(pattern[start...].prefix(count))
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
}

/// Expects equal values, without printing them.
func expectSame<Value: Equatable>(
    _ one: Value?, _ other: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    let isSame = one == other
    #expect(isSame, sourceLocation: sourceLocation)
}
