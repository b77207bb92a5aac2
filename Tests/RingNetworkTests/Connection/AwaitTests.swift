import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connections for tasks", .taskWatchdog)
struct AwaitTests {
    @Test("A task echoes by waiting, up to the end")
    func echo() async throws {
        let (wire, connection, closed) = makeConnection()
        let bytes = patterned(200_000)
        let same = Watched<Bool?>(nil)
        _ = UserThread {
            let reader = UserThread {
                let isSame = wire.receive(bytes.count) == bytes
                same.update { $0 = isSame }
            }
            wire.send(bytes)
            wire.closeOutput()
            _ = reader.join()
            // A connection that could not send everything gets an error.
            wire.close()
        }
        while let bytes = try await connection.receive() { try await connection.send(bytes) }
        connection.close()
        #expect(poll { same.value != nil })
        #expect(same.value == true)
        #expect(closed.wait() == .closed)
    }

    @Test("Exact counts are complete, however they arrive, and further bytes stay available")
    func exactly() async throws {
        let (wire, connection, closed) = makeConnection()
        let bytes = patterned(5000)
        _ = UserThread {
            for start in stride(from: 0, to: 5000, by: 50) {
                wire.send(Array(bytes[start..<start + 50]))
            }
            wire.closeOutput()
        }
        var all: [UInt8] = []
        for count in [1, 2, 3, 100, 1, 2000, 77] {
            let piece = try await connection.receive(exactly: count)
            #expect(piece.count == count)
            all += piece
        }
        await #expect(throws: ReceiveError.self) {
            try await connection.receive(exactly: 5000)
        }
        while let bytes = try await connection.receive() { all += bytes }
        #expect(all == bytes)
        #expect(try await connection.receive() == nil)
        connection.close()
        #expect(closed.wait() == .closed)
        #expect(try await connection.receive() == nil)
    }

    @Test("A cancelled wait ends, and the next one gets the bytes")
    func cancellation() async throws {
        let (wire, connection, closed) = makeConnection()
        for round in 0..<50 {
            let task = ownTask { try await connection.receive() }
            if round % 2 == 0 { connection.queue.sync {} }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(wire.send([UInt8(round)]))
            #expect(try await connection.receive(exactly: 1) == [UInt8(round)])
        }
        connection.close()
        #expect(closed.wait() == .closed)
    }

    @Test("Cancelling a wait while bytes arrive loses none of them")
    func cancellationRace() async throws {
        let (wire, connection, closed) = makeConnection()
        let bytes = patterned(3000)
        _ = UserThread {
            for byte in bytes { wire.send([byte]) }
            wire.closeOutput()
        }
        var all: [UInt8] = []
        while true {
            let task = ownTask { try await connection.receive() }
            if all.count % 3 == 0 { task.cancel() }
            do {
                guard let piece = try await task.value else { break }
                all += piece
            } catch is CancellationError {
                all += try await connection.receive() ?? []
            }
        }
        #expect(all == bytes)
        connection.close()
        #expect(closed.wait() == .closed)
    }

    @Test("Without a wait, flow control stops the peer")
    func demand() async throws {
        let (wire, connection, closed) = makeConnection()
        _ = fcntl(wire.descriptor, F_SETFL, O_NONBLOCK)
        #expect(wire.send([1]))
        #expect(try await connection.receive(exactly: 1) == [1])
        let block = patterned(64 * 1024)
        var sent = 1
        // The socket's buffers, plus the bytes that are received ahead.
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
        #expect(sent < 4_000_000)
        var received = 1
        while received < sent { received += try await connection.receive()?.count ?? 0 }
        #expect(received == sent)
        connection.close()
        #expect(closed.wait() == .closed)
    }

    @Test("A close ends the wait, and so does an error")
    func closing() async throws {
        let (wire, connection, _) = makeConnection()
        let task = ownTask { try await connection.receive() }
        connection.queue.sync {}
        connection.close()
        await #expect(throws: ReceiveError.closed(.closed)) { try await task.value }
        await #expect(throws: ReceiveError.closed(.closed)) { try await connection.receive() }
        wire.close()
        var options = ConnectionOptions()
        options.timeouts.receive = .milliseconds(50)
        let (silent, late, closed) = makeConnection(options)
        await #expect(throws: ReceiveError.closed(.timedOut(.receive))) {
            try await late.receive()
        }
        #expect(closed.wait() == .timedOut(.receive))
        silent.close()
    }

    @Test("Sends that fail throw; a cancelled one is still sent")
    func sending() async throws {
        let (wire, connection, closed) = makeConnection()
        let bytes = patterned(3_000_000)
        let task = ownTask { try await connection.send(bytes) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectSame(wire.receive(bytes.count), bytes)
        let other = ownTask { try await connection.send(bytes) }
        while connection.queue.sync(execute: { connection.unsentBytes }) == 0 { sched_yield() }
        connection.abort()
        await #expect(throws: SocketError.self) { try await other.value }
        #expect(closed.wait() == .aborted)
    }

    @Test("Two waits at once, a handler beside a wait, and a wait too early are misuse")
    func misuse() async {
        let tooEarly = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let (descriptor, wire) = Wire.pair()
            _ = try await Connection(adopting: descriptor).receive()
            wire.close()
        }
        expectMessage(tooEarly, naming: "before activate")
        let twice = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let (descriptor, wire) = Wire.pair()
            let connection = Connection(adopting: descriptor)
            connection.activate()
            async let first = connection.receive()
            async let second = connection.receive()
            _ = try await (first, second)
            wire.close()
        }
        expectMessage(twice, naming: "while another one waits")
    }
}
