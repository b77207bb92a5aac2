import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Files that are sent", .watchdog)
struct SendFileTests {
    /// A file without a name, with the bytes.
    private func makeFile(_ bytes: [UInt8]) -> Int32 {
        let name = "/tmp/ring-network-file-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        precondition(file >= 0, "errno \(errno)")
        unlink(name)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(file, $0.baseAddress! + written, bytes.count - written)
            }
            precondition(count > 0, "errno \(errno)")
            written += count
        }
        return file
    }

    @Test("A file that is not open fails with a remedy that helps")
    func notOpen() {
        let (wire, connection, closed) = makeEcho()
        let sent = Outcome<SocketError?>()
        connection.send(fileDescriptor: -1, offset: 0, count: 1) { sent.set($0) }
        let error = sent.wait() ?? nil
        #expect(error?.code == .badFileDescriptor && error?.remedy.contains("open") == true)
        #expect(closed.wait() == error.map { .failed($0) })
        withExtendedLifetime(wire) {}
    }

    @Test("Before activate, such a file is an error for the close handler, after earlier sends")
    func notOpenBeforeActivate() {
        let (descriptor, wire) = Wire.tcpPair()
        let connection = Connection(adopting: descriptor)
        let (sent, closed) = (Outcome<SocketError?>(), Outcome<CloseReason>())
        connection.send([1])
        connection.send(fileDescriptor: -1, offset: 0, count: 1) { sent.set($0) }
        connection.setCloseHandler { closed.set($1) }
        connection.activate()
        let error = sent.wait() ?? nil
        #expect(error?.code == .badFileDescriptor)
        #expect(closed.wait() == error.map { .failed($0) })
        withExtendedLifetime(wire) {}
    }

    @Test("A file goes out in its turn, and the descriptor may be closed at once")
    func inTurn() {
        let (wire, connection, closed) = makeEcho()
        let bytes = patterned(5_000_000)
        let file = makeFile(bytes)
        let sent = Outcome<SocketError?>()
        connection.send([1, 2, 3])
        connection.send(fileDescriptor: file, offset: 1000, count: 4_000_000) { sent.set($0) }
        connection.send([4, 5, 6])
        close(file)
        #expect(wire.receive(3) == [1, 2, 3])
        expectSame(wire.receive(4_000_000), Array(bytes[1000..<4_001_000]))
        #expect(wire.receive(3) == [4, 5, 6])
        #expect(sent.wait() == .some(nil))
        // The connection receives as before.
        #expect(wire.echoes([7]))
        wire.closeOutput()
        #expect(closed.wait() == .ended)
    }

    /// The kernel takes a megabyte, after which others get their turn, and still has room.
    @Test("A long file reaches a peer that reads as fast as it is sent")
    func fastPeer() {
        let count = 64 * 1024 * 1024
        let file = makeFile([])
        precondition(ftruncate(file, count) == 0, "errno \(errno)")
        let (descriptor, wire) = Wire.tcpPair()
        let connection = Connection(adopting: descriptor)
        connection.activate()
        for _ in 0..<8 { connection.send(fileDescriptor: file, offset: 0, count: count) }
        close(file)
        var received = 0
        while received < 8 * count {
            let bytes = wire.receive(min(1024 * 1024, 8 * count - received))
            received += bytes.count
            if bytes.isEmpty { break }
        }
        #expect(received == 8 * count)
        connection.close()
        #expect(wire.receiveEnd() == 0)
    }

    @Test("A file that is too short is an error, and resets the connection")
    func tooShort() {
        let (wire, connection, closed) = makeEcho()
        let file = makeFile(patterned(1000))
        defer { close(file) }
        let sent = Outcome<SocketError?>()
        let next = Outcome<SocketError?>()
        connection.send(fileDescriptor: file, offset: 0, count: 1500) { sent.set($0) }
        connection.send([1]) { next.set($0) }
        let error = sent.wait()
        #expect(error??.code == .noData)
        #expect(error??.description.contains("500 bytes too early") == true)
        guard case .failed = closed.wait() else {
            Issue.record("not failed")
            return
        }
        #expect(next.wait() != .some(nil))
        #expect(wire.receive(1000) == patterned(1000))
    }

    @Test("A count that no file has is the same error, also behind unsent bytes")
    func endlessCount() {
        let (wire, connection, _) = makeConnection()
        let file = makeFile(patterned(1000))
        let (sent, next) = (Outcome<SocketError?>(), Outcome<SocketError?>())
        let bytes = patterned(3_000_000)
        connection.send(bytes)
        connection.send(fileDescriptor: file, offset: 0, count: .max) { sent.set($0) }
        connection.send(fileDescriptor: -1, offset: 0, count: .max) { next.set($0) }
        close(file)
        expectSame(wire.receive(bytes.count), bytes)
        #expect(wire.receive(1000) == patterned(1000))
        #expect(sent.wait()??.code == .noData)
        #expect(next.wait() != .some(nil))
    }

    @Test("Other than regular files, and closed descriptors, fail with a reason")
    func noFile() {
        for isSocket in [true, false] {
            let (wire, connection, closed) = makeEcho()
            let (socket, other) = Wire.pair()
            defer { close(socket) }
            let sent = Outcome<SocketError?>()
            connection.send(
                fileDescriptor: isSocket ? socket : 1_000_000, offset: 0, count: 10
            ) { sent.set($0) }
            let error = sent.wait()
            #expect(error??.remedy.isEmpty == false, "\(String(describing: error))")
            #expect(closed.wait() != nil)
            other.close()
            wire.close()
        }
    }

    @Test("Sending zero bytes of a file completes")
    func empty() {
        let (wire, connection, closed) = makeEcho()
        let file = makeFile([])
        let sent = Outcome<SocketError?>()
        connection.send(fileDescriptor: file, offset: 0, count: 0) { sent.set($0) }
        close(file)
        #expect(sent.wait() == .some(nil))
        wire.close()
        #expect(closed.wait() != nil)
    }
}
