internal import CSimulation
internal import Glibc

/// A client of the echo server, on a thread of its own.
final class EchoPeer {
    private enum End: CaseIterable {
        /// Shuts its output down, and reads to the end.
        case halfClose
        /// Closes after it has read all.
        case close
        /// Closes earlier.
        case leave
        /// Resets the connection.
        case reset
    }

    private let server: EchoServer
    private let total = random(1...40_000)
    private let end = End.allCases[random(0...3)]
    private let salt = random(0...250)
    private var descriptor: Int32 = -1
    private var port: UInt16 = 0
    private var sent = 0
    private var received = 0
    private var hasShutDown = false
    /// When to leave early.
    private lazy var limit = random(0...total)

    init(_ server: EchoServer) { self.server = server }

    func run() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        require(code == 0, "no connection")
        port = localPort()
        setNonBlocking(descriptor)
        note("peer of port", Int(port))
        while exchange() {}
        if end == .reset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        close(descriptor)
        if oneIn(2) { pause(1...3_000) }
    }

    private func localPort() -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        return code == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// Sends and receives. Returns whether to go on.
    private func exchange() -> Bool {
        if oneIn(10) { pause(1...5_000) }
        if end == .leave || end == .reset, received >= limit { return false }
        let wantsToSend = sent < total
        if !wantsToSend && end == .halfClose && !hasShutDown {
            hasShutDown = true
            shutdown(descriptor, Int32(SHUT_WR))
        }
        if end == .close && received == total { return false }
        var entry = pollfd(
            fd: descriptor, events: Int16(POLLIN | (wantsToSend ? POLLOUT : 0)), revents: 0)
        poll(&entry, 1, -1)
        let events = Int32(entry.revents)
        if wantsToSend, events & POLLOUT != 0, !sendSome() { return false }
        if events & (POLLIN | POLLHUP | POLLERR) != 0 { return receiveSome() }
        return true
    }

    /// From any position on, the next 8,000 bytes are at the same place of the pattern, modulo 251.
    private lazy var pattern = (0..<8_251).map { UInt8(($0 &* 7 &+ salt) % 251) }

    private func expected(_ position: Int, _ count: Int) -> ArraySlice<UInt8> {
        pattern[position % 251..<position % 251 + count]
    }

    private func sendSome() -> Bool {
        let count = random(1...min(total - sent, 6_000))
        let bytes = Array(expected(sent, count))
        let result = call { send(descriptor, bytes, count, Int32(MSG_NOSIGNAL)) }
        if result > 0 { sent += result }
        if result < 0 && result != -Int(EAGAIN) {
            requireExplained("send: error \(-result)")
            return false
        }
        return true
    }

    private func receiveSome() -> Bool {
        let (result, bytes) = readSome(descriptor, random(1...8_000))
        if result == -Int(EAGAIN) { return true }
        if result <= 0 {
            if result == 0 && end == .halfClose && hasShutDown && received == total { return false }
            requireExplained("receive: \(result) after \(received) of \(sent) bytes")
            return false
        }
        require(
            bytes.elementsEqual(expected(received, result)),
            "bytes from \(received) on of port \(port) are wrong")
        received += result
        require(received <= sent, "more bytes than were sent")
        return true
    }

    /// The connection ended early: the server has a reason.
    private func requireExplained(_ what: String) {
        // The server never saw it.
        guard let record = server.records[port] else { return }
        if record.isEnded { return }
        wait(seconds: 5, until: { record.reason != nil }, "a reason for \(what)")
        fail("\(what) on port \(port): \(String(describing: record.reason))")
    }
}
