import Glibc
import RingDispatch
@testable import RingNetwork
import Testing

#if TLS
import RingTLS
#endif

@Suite("Receiving in tasks", .watchdog)
struct AsyncReceivingTests {
    @Test("Arrays and spans have all bytes, in order", arguments: [false, true])
    func all(asSpans: Bool) async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(500_000)
        feed(wire, bytes)
        let all = try await connection.run { client async throws in
            var all: [UInt8] = []
            if asSpans {
                while try await client.receive({ $0.withUnsafeBytes { all += Array($0) } }) {}
            } else {
                for try await piece in client.inbound { all += piece }
            }
            return all
        }
        expectSame(all, bytes)
    }

    @Test("Exact counts are complete, however they arrive, and further bytes stay available")
    func exactly() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(5000)
        feed(wire, bytes, pieces: 50)
        let all = try await connection.run { client async throws in
            var all: [UInt8] = []
            for count in [1, 2, 3, 100, 1, 2000, 77] {
                let piece = try await client.receive(exactly: count)
                #expect(piece.count == count)
                all += piece
            }
            await #expect(throws: ReceiveError.self) { try await client.receive(exactly: 5000) }
            while let bytes = try await client.receive() { all += bytes }
            #expect(try await client.receive() == nil)
            return all
        }
        expectSame(all, bytes)
    }

    @Test("A few bytes of the next message keep no large buffer")
    func memory() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(60_001)
        feed(wire, bytes)
        try await connection.run { client async throws in
            // All are in the buffer.
            while client.bufferedCount < bytes.count {
                #expect(try await client.receiveMore(.owner, isIdle: true))
            }
            var all: [UInt8] = []
            for _ in 0..<60 { all += try await client.receive(exactly: 1000) }
            #expect(client.confined.buffer.capacity <= 4096)
            all += try await client.receive(exactly: 1)
            expectSame(all, bytes)
        }
    }

    @Test("A span has the bytes that an exact read has left over")
    func leftOver() async throws {
        let (wire, connection) = makeNewConnection()
        #expect(wire.send([1, 2, 3, 4]))
        try await connection.run { client async throws in
            #expect(try await client.receive(exactly: 1) == [1])
            var rest: [UInt8] = []
            let hasBytes = try await client.receive { $0.withUnsafeBytes { rest = Array($0) } }
            #expect(hasBytes && rest == [2, 3, 4])
            wire.closeOutput()
            let hasMore = try await client.receive { _ in }
            #expect(!hasMore)
        }
    }

    @Test("An error of the closure that takes a span is thrown, and nothing hangs")
    func bodyThrows() async throws {
        let (wire, connection) = makeNewConnection()
        #expect(wire.send([1]))
        try await connection.run { client async throws in
            await #expect(throws: FrameError.wrongLength(1, expected: 2)) {
                try await client.receive { _ in throw FrameError.wrongLength(1, expected: 2) }
            }
            #expect(wire.send([2]))
            #expect(try await client.receive() == [2])
        }
    }

    @Test("Lines and frames are split as by a FrameReader", arguments: [1, 7, 100_000])
    func frames(pieces: Int) async throws {
        let (wire, connection) = makeNewConnection()
        let text = (0..<300).map { "line \($0) \(String(repeating: "x", count: $0))\r\n" }.joined()
        feed(wire, Array(text.utf8) + [0, 2, 7, 8, 0, 0], pieces: pieces)
        try await connection.run { client async throws in
            var count = 0
            for try await line in client.lines() {
                #expect(line == "line \(count) \(String(repeating: "x", count: count))")
                count += 1
                if count == 300 { break }
            }
            #expect(count == 300)
            // What follows the lines is in another framing.
            var frames: [[UInt8]] = []
            for try await frame in client.frames(of: LengthPrefixFraming(.two)) {
                frames.append(frame)
            }
            #expect(frames == [[7, 8], []])
        }
    }

    @Test("A stream that ends within a frame, and a line that is too long, are errors")
    func brokenFrames() async throws {
        let (wire, connection) = makeNewConnection()
        feed(wire, Array("one\ntwo".utf8))
        await #expect(throws: FrameError.endInsideFrame(byteCount: 3)) {
            try await connection.run { client async throws in
                for try await line in client.lines() { #expect(line == "one") }
            }
        }
        let (other, second) = makeNewConnection()
        feed(other, patterned(1000).map { $0 | 0x80 })
        await #expect(throws: FrameError.tooLong(limit: 10)) {
            try await second.run { client async throws in
                for try await _ in client.lines(maximumLength: 10) {}
            }
        }
    }

    @Test("A reset that arrives with bytes closes the connection of a task that waits no more")
    func resetWithBytes() async throws {
        let (descriptor, wire) = Wire.tcpPair()
        let connection = Connection(adopting: descriptor)
        try await connection.run { client async throws in
            #expect(wire.send([1]))
            wire.abort()
            #expect(try await client.receive() == [1])
            for _ in 0..<Patience.seconds * 100 where client.connection.state != .closed {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(client.connection.state == .closed)
        }
    }

    @Test("An iterator finds the end of a frame after others took the frame's beginning")
    func takenBeginning() async throws {
        let (wire, connection) = makeNewConnection()
        try await connection.run { client async throws in
            var lines = client.lines(maximumLength: 2).makeAsyncIterator()
            #expect(wire.send(Array("abcd".utf8)))
            await #expect(throws: FrameError.tooLong(limit: 2)) { try await lines.next() }
            #expect(try await client.receive() == Array("abcd".utf8))
            #expect(wire.send(Array("e\nfg\n".utf8)))
            #expect(try await lines.next() == "e")
            #expect(try await lines.next() == "fg")
        }
    }

    @Test("A cancelled wait of a child task ends, and the next one gets the bytes")
    func cancellation() async throws {
        let (wire, connection) = makeNewConnection()
        try await connection.run { client async throws in
            for round in 0..<50 {
                let task = ownTask { try await client.receive() }
                if round % 2 == 0 { await Task.yield() }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(wire.send([UInt8(round)]))
                #expect(try await client.receive(exactly: 1) == [UInt8(round)])
            }
        }
    }

    @Test("Cancelling a wait while bytes arrive loses none of them")
    func cancellationRace() async throws {
        let (wire, connection) = makeNewConnection()
        let bytes = patterned(3000)
        feed(wire, bytes, pieces: 1)
        let all = try await connection.run { client async throws in
            var all: [UInt8] = []
            while true {
                let task = ownTask { try await client.receive() }
                if all.count % 3 == 0 { task.cancel() }
                do {
                    guard let piece = try await task.value else { break }
                    all += piece
                } catch is CancellationError {
                    all += try await client.receive() ?? []
                }
            }
            return all
        }
        expectSame(all, bytes)
    }

    @Test("Time-outs end the wait, and lose no bytes")
    func timeouts() async throws {
        let (wire, connection) = makeNewConnection()
        let limit = Duration.milliseconds(20)
        try await connection.run { client async throws in
            await #expect(throws: ReceiveError.timedOut) {
                try await client.receive(within: .milliseconds(20))
            }
            await #expect(throws: ReceiveError.timedOut) {
                try await client.receive(within: limit)
            }
            #expect(wire.send([1, 2]))
            await #expect(throws: ReceiveError.timedOut) {
                try await client.receive(exactly: 3, within: limit)
            }
            #expect(wire.send([3]))
            #expect(try await client.receive(exactly: 3, within: .seconds(1000)) == [1, 2, 3])
        }
        var options = ConnectionOptions()
        options.timeouts.receive = .milliseconds(50)
        let (silent, late) = makeNewConnection(options)
        await #expect(throws: ReceiveError.closed(.timedOut(.receive))) {
            try await late.run { _ = try await $0.receive() }
        }
        silent.close()
    }

    @Test("A limit counts for the whole wait, also while too few bytes trickle in")
    func trickleOfTooFew() async throws {
        var options = ConnectionOptions()
        options.receiveMinimumBytes = 1_000_000
        let (wire, connection) = makeNewConnection(options)
        let isOver = Watched(false)
        let feeder = UserThread {
            while !isOver.value, wire.send([1]) { letTimePass(milliseconds: 5) }
        }
        await #expect(throws: ReceiveError.timedOut) {
            try await connection.run { _ = try await $0.receive(within: .milliseconds(60)) }
        }
        isOver.update { $0 = true }
        #expect(feeder.join())
    }

    @Test("A message that trickles in times out, while its task waits for each piece")
    func trickle() async throws {
        var options = ConnectionOptions()
        options.timeouts.receiveRate = MinimumRate(bytesPerSecond: 100_000)
        options.timeouts.receiveRate?.grace = .milliseconds(20)
        options.timeouts.receiveRate?.window = .milliseconds(40)
        let (wire, connection) = makeNewConnection(options)
        let feeder = UserThread {
            while wire.send([1]) { letTimePass(milliseconds: 3) }
        }
        await #expect(throws: ReceiveError.closed(.timedOut(.receiveRate))) {
            try await connection.run { client async throws in
                client.connection.isInMessage = true
                while try await client.receive({ _ in }) {}
            }
        }
        #expect(feeder.join())
    }

    @Test("A pause in the closure that takes a span holds until it is undone")
    func pauseInBody() async throws {
        let (wire, connection) = makeNewConnection()
        #expect(wire.send([1]))
        try await connection.run { client async throws in
            let hasBytes = try await client.receive { _ in client.connection.pauseReceiving() }
            #expect(hasBytes)
            #expect(wire.send([2]))
            await #expect(throws: ReceiveError.timedOut) {
                try await client.receive(within: .milliseconds(20))
            }
            client.connection.resumeReceiving()
            #expect(try await client.receive() == [2])
        }
    }

    @Test("Without a wait, flow control stops the peer, and nothing is held")
    func demand() async throws {
        let (wire, connection) = makeNewConnection()
        _ = fcntl(wire.descriptor, F_SETFL, O_NONBLOCK)
        #expect(wire.send([1]))
        try await connection.run { client async throws in
            #expect(try await client.receive(exactly: 1) == [1])
            let block = patterned(64 * 1024)
            var sent = 1
            var idleRounds = 0
            while idleRounds < 50 {
                let count = Glibc.send(wire.descriptor, block, block.count, Int32(MSG_NOSIGNAL))
                if count > 0 {
                    sent += count
                    idleRounds = 0
                } else {
                    idleRounds += 1
                    letTimePass(milliseconds: 1)
                }
            }
            // Everything is in the socket's buffers.
            #expect(client.connection.statistics.bytesReceived == 1)
            #expect(sent < 4_000_000)
            var received = 1
            while received < sent { received += try await client.receive()?.count ?? 0 }
            #expect(received == sent)
        }
    }

    @Test("A close, an abort and a reset of the peer end the wait")
    func closing() async throws {
        let (quiet, connection) = makeNewConnection()
        await #expect(throws: ReceiveError.closed(.closed)) {
            try await connection.run { client async throws in
                connection.queue.asyncAfter(deadline: .now() + .milliseconds(5)) {
                    connection.close()
                }
                _ = try await client.receive()
            }
        }
        quiet.close()
        let listener = try makeAsyncListener()
        let outcome = Outcome<(any Error)?>()
        let server = ownTask {
            await listener.run { client in
                do {
                    try await echoSpans(client)
                    outcome.set(nil)
                } catch {
                    outcome.set(error)
                    throw error
                }
            }
        }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        wire.abort()
        guard case .closed(.failed(let error)) = outcome.wait() as? ReceiveError else {
            Issue.record("\(String(describing: outcome.wait()))")
            return
        }
        #expect(error.code == .connectionReset)
        listener.close()
        try await server.value
    }

    #if TLS
    private struct Refusal: Error {}

    @Test("Under TLS, a span is not of a copy, and an error of its reader is thrown")
    func secured() async throws {
        let tls = try TLSContextStore(serverConfiguration())
        let listener = try makeAsyncListener { $0.secure(tls) }
        let server = ownTask {
            await listener.run { client in
                // Bytes that arrive with the end of the handshake have no task that takes them yet.
                try await client.send(try await client.receive(exactly: 1))
                while try await client.receive({ bytes in
                    #expect(client.bufferedCount == 0)
                    client.connection.send(bytes)
                }) {}
            }
        }
        let connector = try makeSecuredConnector()
        await #expect(throws: Refusal.self) {
            try await connector.withConnection(to: listener.endpoint) { peer in
                for size in [1, 4096, 100_000] {
                    let bytes = patterned(size)
                    try await peer.send(bytes)
                    expectSame(try await peer.receive(exactly: size), bytes)
                }
                try await peer.send([1])
                _ = try await peer.receive { _ in throw Refusal() }
            }
        }
        listener.close()
        try await server.value
    }
    #endif

    @Test("Two waits at once, and a connection that is active already, are misuse")
    func misuse() async {
        let twice = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let (wire, connection) = makeNewConnection()
            try await connection.run { client async throws in
                async let first = client.receive()
                async let second = client.receive()
                _ = try await (first, second)
            }
            wire.close()
        }
        expectMessage(twice, naming: "while another task waits")
        let late = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let (wire, connection) = makeNewConnection()
            connection.activate()
            try await connection.run { _ in }
            wire.close()
        }
        expectMessage(late, naming: "after activate")
    }
}
