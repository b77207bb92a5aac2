import Glibc

/// A plain socket client, which shares no code with the servers.
final class Client {
    /// The result of a receive.
    enum Received: Equatable {
        case bytes([UInt8])
        case end
        /// The server or its kernel reset the connection.
        case reset
        case nothing
    }

    private let socket: LoopbackSocket

    init(adopting socket: LoopbackSocket) { self.socket = socket }

    init(port: UInt16, deadline: Deadline = Deadline()) throws {
        socket = try LoopbackSocket()
        let descriptor = socket.descriptor
        let result = socket.withAddress(port: port) { connect(descriptor, $0, $1) }
        if result != 0 {
            guard errno == EINPROGRESS else { throw Trouble(call: "connect") }
            guard socket.poll(Int32(POLLOUT), until: deadline) != 0 else {
                throw Trouble("connecting took too long")
            }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            errno = code
            guard code == 0 else { throw Trouble(call: "connect") }
        }
    }

    /// Sends a part, if there is room before the deadline; 0 when there is none.
    func sendSome(_ bytes: ArraySlice<UInt8>, until deadline: Deadline) throws -> Int {
        guard socket.poll(Int32(POLLOUT), until: deadline) != 0 else { return 0 }
        let count = bytes.withUnsafeBytes {
            Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EAGAIN { return 0 }
        guard count >= 0 else { throw Trouble(call: "send") }
        return count
    }

    func send(_ bytes: [UInt8], deadline: Deadline = Deadline()) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try sendSome(rest, until: deadline))
            if deadline.isOver { throw Trouble("the server does not read \(rest.count) bytes") }
        }
    }

    func receiveSome(until deadline: Deadline, atMost most: Int = 65_536) throws -> Received {
        while socket.poll(Int32(POLLIN), until: deadline) != 0 {
            var buffer = [UInt8](repeating: 0, count: most)
            let count = recv(socket.descriptor, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(Array(buffer[..<count])) }
            if count == 0 { return .end }
            if errno == ECONNRESET || errno == EPIPE { return .reset }
            guard errno == EAGAIN || errno == EINTR else { throw Trouble(call: "recv") }
        }
        return .nothing
    }

    func receive(count: Int, deadline: Deadline = Deadline()) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard case .bytes(let part) = try receiveSome(until: deadline) else {
                throw Trouble("\(bytes.count) of \(count) bytes received")
            }
            bytes += part
        }
        return bytes
    }

    /// Receives everything until the server closes.
    func receiveUntilEnd(deadline: Deadline = Deadline()) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            switch try receiveSome(until: deadline) {
            case .bytes(let part): bytes += part
            case .end: return bytes
            case .reset: throw Trouble("reset after \(bytes.count) bytes")
            case .nothing: throw Trouble("no end of file after \(bytes.count) bytes")
            }
        }
    }

    /// Waits until the server has closed or reset the connection, whatever it sends before.
    func waitUntilClosed(deadline: Deadline = Deadline()) throws {
        while true {
            switch try receiveSome(until: deadline) {
            case .bytes: continue
            case .end, .reset: return
            case .nothing: throw Trouble("the connection is still open")
            }
        }
    }

    /// Waits until the server has closed or reset the connection, without reading anything.
    func waitUntilDropped(deadline: Deadline = Deadline()) throws {
        guard socket.poll(Self.pollEndOfInput, until: deadline) != 0 else {
            throw Trouble("the connection is still open")
        }
    }

    /// POLLRDHUP, which Swift does not import. poll(2).
    private static let pollEndOfInput: Int32 = 0x2000

    /// Half-closes: the server reads end of file, and may continue to send.
    func closeOutput() throws {
        guard shutdown(socket.descriptor, Int32(SHUT_WR)) == 0 else {
            throw Trouble(call: "shutdown")
        }
    }

    func close() { socket.close() }

    /// Closes with a reset.
    func abort() {
        var option = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout<linger>.size)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_LINGER, &option, size)
        socket.close()
    }
}

/// Describes where two byte sequences differ; nil if they do not. A failed expectation would take
/// minutes, since the library searches for the shortest edit.
func difference(_ bytes: [UInt8], from expected: [UInt8]) -> String? {
    if bytes == expected { return nil }
    guard let index = zip(bytes, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset
    else { return "\(bytes.count) bytes instead of \(expected.count)" }
    return "byte \(index) is \(bytes[index]) instead of \(expected[index])"
}

/// Bytes whose period is prime and longer than any buffer, so that a late, duplicated or truncated
/// echo differs. Assembled from blocks, since generating each byte is slow in a debug build.
func patternBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    let longestBlock = 65_521
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    let block = (0..<min(count, longestBlock)).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 32)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}
