import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

@Suite("Bytes that wait to be sent", .watchdog)
struct OutgoingQueueTests {
    /// Takes everything, in slices of up to 64 KiB.
    private func takeAll(
        from queue: inout OutgoingQueue, done: (SendCompletion) -> Void = { _ in }
    ) throws -> (bytes: [UInt8], slices: Int) {
        var bytes: [UInt8] = []
        var slices = 0
        while !queue.isEmpty {
            let completion = try queue.takeSlice(limit: 64 * 1024) { bytes.append(contentsOf: $0) }
            if let completion { done(completion) }
            slices += 1
        }
        return (bytes, slices)
    }

    @Test("Single bytes take little memory, and leave many at a time")
    func singleBytes() throws {
        var queue = OutgoingQueue()
        let bytes = patterned(256 * 1024)
        for byte in bytes { queue.append(.bytes([byte]), nil) }
        #expect(queue.byteCount == bytes.count)
        let (taken, slices) = try takeAll(from: &queue)
        #expect(taken == bytes)
        #expect(slices <= 17)
    }

    @Test("Bytes that join a piece, of which some are sent, keep their order")
    func partlySent() throws {
        var queue = OutgoingQueue()
        var expected: [UInt8] = []
        var taken: [UInt8] = []
        for round in 0..<3000 {
            let bytes = patterned(round % 40, seed: round)
            expected += bytes
            queue.append(.bytes(bytes), nil, isOwn: round / 100 % 2 == 1)
            while queue.byteCount > 500 {
                _ = try queue.takeSlice(limit: 7) { taken += $0 }
            }
        }
        #expect(queue.byteCount == expected.count - taken.count)
        taken += try takeAll(from: &queue).bytes
        expectSame(taken, expected)
        #expect(queue.byteCount == 0)
    }

    @Test("A completion waits for the bytes of its send, and not for later ones")
    func completions() throws {
        var queue = OutgoingQueue()
        var called: [Int] = []
        let completions = (0..<3).map { number in SendCompletion { _ in called.append(number) } }
        queue.append(.bytes([1]), nil)
        queue.append(.bytes([2]), completions[0])
        queue.append(.bytes([3]), nil)
        queue.append(.data(copied([4])), completions[1])
        queue.append(.bytes([5]), completions[2])
        queue.append(.bytes([6]), nil)
        var taken = 0
        while !queue.isEmpty {
            let completion = try queue.takeSlice(limit: 1) { _ in taken += 1 }
            completion?.call(nil)
            #expect(called.count == [0, 1, 1, 2, 3, 3][taken - 1])
        }
        #expect(called == [0, 1, 2])
    }

    @Test("What was sent is released while more waits")
    func release() throws {
        final class Owner: Sendable {}
        let byte: StaticString = "1"
        var queue = OutgoingQueue()
        weak var content: Owner?
        weak var completion: Owner?
        do {
            let owners = (Owner(), Owner())
            (content, completion) = owners
            let data = DispatchData(start: byte.utf8Start, count: 1, owner: owners.0)
            queue.append(.data(data), SendCompletion { [owner = owners.1] _ in _ = owner })
        }
        queue.append(.bytes([2]), nil)
        #expect(content != nil && completion != nil)
        _ = try queue.takeSlice(limit: 1) { #expect($0[0] == byte.utf8Start[0]) }
        #expect(content == nil && completion == nil)
        #expect(try takeAll(from: &queue).bytes == [2])
    }

    @Test("Program bytes stay apart from those of the security layer")
    func own() {
        var queue = OutgoingQueue()
        queue.append(.bytes([1]), nil, isOwn: true)
        #expect(!queue.hasProgramBytes)
        queue.append(.bytes([2]), nil)
        #expect(queue.hasProgramBytes)
    }

    @Test("Bytes to a peer that reads as fast as they are sent leave other queues their turn")
    func turn() {
        // Datagrams of which the kernel drops what has no room: it takes all.
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let (sink, descriptor) = (socket(AF_INET, kind, 0), socket(AF_INET, kind, 0))
        defer { for socket in [sink, descriptor] { close(socket) } }
        var address = sockaddr_in(port: 0)
        var length = sockaddr_in.length
        #expect(address.withSockaddr { bind(sink, $0, length) } == 0)
        #expect(address.withSockaddr { getsockname(sink, $0, &length) } == 0)
        #expect(address.withSockaddr { Glibc.connect(descriptor, $0, length) } == 0)
        var queue = OutgoingQueue()
        let bytes = patterned(32 * 1024)
        for number in 0..<96 {
            queue.append(number % 2 == 0 ? .bytes(bytes) : .data(copied(bytes)), nil)
        }
        var sent: UInt64 = 0
        for turn in 1...3 {
            #expect(queue.flush(to: descriptor, sent: &sent) { _ in } == nil)
            #expect(sent == UInt64(turn * OutgoingQueue.bytesInTurn))
        }
        #expect(queue.isEmpty)
    }

    @Test("A long backlog reaches a peer that reads as fast as it is sent")
    func fastPeer() {
        let (descriptor, wire) = Wire.tcpPair()
        let connection = Connection(adopting: descriptor)
        connection.activate()
        let bytes = patterned(64 * 1024)
        for _ in 0..<512 { connection.send(bytes) { _ in } }
        var received = 0
        while received < 512 * bytes.count {
            let count = wire.receive(min(1024 * 1024, 512 * bytes.count - received)).count
            received += count
            if count == 0 { break }
        }
        #expect(received == 512 * bytes.count)
        connection.close()
        #expect(wire.receiveEnd() == 0)
    }
}
