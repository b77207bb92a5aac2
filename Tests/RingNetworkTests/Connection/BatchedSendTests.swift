import Glibc
import RingDispatch
import RingNetwork
import Testing

/// Short sends of handlers may leave together, after the handlers.
@Suite("Sends that leave together", .watchdog)
struct BatchedSendTests {
    enum Stay: String, CaseIterable, Codable {
        case blocks
        case computes
        case waits
    }

    /// Connections whose queues share a target, so that their handlers run one after the other.
    private static func makeNeighbours(
        _ count: Int, _ makePair: () -> (Int32, Wire) = Wire.pair,
        _ configure: (Int, Connection) -> Void
    ) -> (wires: [Wire], connections: [Connection], target: DispatchQueue) {
        let target = DispatchQueue(label: "batched.target")
        let both = (0..<count).map { number -> (Wire, Connection) in
            let (descriptor, wire) = makePair()
            let connection = Connection(adopting: descriptor, target: target)
            configure(number, connection)
            connection.activate()
            return (wire, connection)
        }
        return (both.map { $0.0 }, both.map { $0.1 }, target)
    }

    /// In a process of its own, where nothing else makes another worker take the loop over.
    @Test(
        "The peers have the bytes while a handler stays", arguments: Stay.allCases,
        [(loops: 1, count: 1), (1, 8), (2, 1), (2, 8)])
    func handlerStays(_ stay: Stay, _ number: (loops: Int, count: Int)) async {
        let (loops, count) = number
        await #expect(processExitsWith: .success) {
            [stay, loops = loops as Int, count = count as Int] in
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "\(loops)", 1)
            let (held, release) = Wire.pair()
            let blocked = Wire(held)
            let isReleased = Watched(false)
            let calls = Watched(0)
            let made = BatchedSendTests.makeNeighbours(count) { _, connection in
                connection.setReceiveHandler { connection, _ in
                    connection.send(countingBytes(10))
                    guard calls.increment() == count else { return }
                    switch stay {
                    case .blocks: _ = blocked.receive(1)
                    case .computes: while !isReleased.value {}
                    case .waits: DispatchSemaphore(value: 0).wait()
                    }
                }
            }
            made.target.suspend()
            for wire in made.wires { demand(wire.send([1]), "the kernel takes it") }
            made.target.resume()
            for wire in made.wires { demand(wire.receive(10) == countingBytes(10), "it is sent") }
            isReleased.update { $0 = true }
            release.send([0])
            _exit(0)
        }
    }

    @Test("A snapshot counts the sends and the system calls that passed them to the kernel")
    func counters() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (wires, connections, _) = BatchedSendTests.makeNeighbours(8) { _, connection in
                connection.setReceiveHandler { connection, _ in
                    connection.send(countingBytes(10))
                }
            }
            for wire in wires {
                demand(wire.send([1]), "the kernel takes it")
                demand(wire.receive(10) == countingBytes(10), "it is sent")
            }
            let wanted = DispatchRuntime.snapshot().backend == "io_uring" ? 8 : 0
            // The peer may have the bytes before they are counted.
            let isCounted = poll {
                let loop = DispatchRuntime.snapshot().loops[0]
                return loop.batchedSends == wanted && loop.sendBatches == wanted
            }
            #expect(isCounted)
            _ = connections
        }
    }

    @Test("More sends than a batch has room for leave in several")
    func fullBatch() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (wires, connections, target) = BatchedSendTests.makeNeighbours(150) {
                number, connection in
                connection.setReceiveHandler { connection, _ in
                    connection.send(patterned(4000, seed: number))
                }
            }
            target.suspend()
            for wire in wires { demand(wire.send([1]), "the kernel takes it") }
            target.resume()
            for (number, wire) in wires.enumerated() {
                demand(wire.receive(4000) == patterned(4000, seed: number), "it is sent")
            }
            guard DispatchRuntime.snapshot().backend == "io_uring" else { return }
            // Those of a handler whose loop was taken over leave alone.
            let isFilled = poll { DispatchRuntime.snapshot().loops[0].batchedSends > 64 }
            let text = "\(DispatchRuntime.snapshot())"
            #expect(isFilled, "\(text)")
            _ = connections
        }
    }

    @Test("A send of nothing after an unsuccessful one does not let later bytes overtake")
    func emptySend() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (descriptor, wire) = Wire.pair()
            let connection = Connection(adopting: descriptor)
            let isDone = Gate()
            connection.setReceiveHandler { connection, _ in
                var filling = 0
                while Glibc.send(descriptor, [0] as [UInt8], 1, Int32(MSG_DONTWAIT)) == 1 {
                    filling += 1
                }
                connection.send([1])
                // The kernel refuses the byte when another worker takes the loop over.
                let isTakenOver = Gate()
                DispatchQueue(label: "other").async { isTakenOver.open() }
                demand(isTakenOver.waitUntilOpen(seconds: Patience.seconds), "a worker helps")
                demand(wire.receive(filling).count == filling, "there is room")
                connection.send([])
                connection.send([2])
                isDone.open()
            }
            connection.activate()
            demand(wire.send([1]), "the kernel takes it")
            demand(isDone.waitUntilOpen(seconds: Patience.seconds), "it is sent")
            demand(wire.receive(2) == [1, 2], "in order")
            _exit(0)
        }
    }

    @Test("A peer that does not read gets everything in order later")
    func unread() {
        let isWritable = Watched(true)
        let (wire, connection, _) = makeConnection { connection in
            connection.setReceiveHandler { connection, _ in
                for number in 0..<4000 { connection.send(patterned(700, seed: number)) }
                isWritable.update { $0 = connection.isWritable }
            }
        }
        #expect(wire.send([1]))
        expectEventually(isWritable) { !$0 }
        expectSame(
            wire.receive(4000 * 700), (0..<4000).flatMap { patterned(700, seed: $0) })
        connection.close()
        #expect(wire.receiveEnd() == 0)
    }

    /// Otherwise a handler that pauses another connection while this one is not writable would see
    /// the writable handler called without such a pause.
    @Test("A connection does not become unwritable after the handler that sent")
    func waterMark() {
        let (wrong, right) = (Watched(0), Watched(0))
        let message = countingBytes(3000)
        var options = ConnectionOptions()
        options.sendHighWaterBytes = 4 * 1024
        options.sendLowWaterBytes = 1024
        options.pausesReceivingWhileUnwritable = false
        let (wire, connection, _) = makeConnection(options) { connection in
            var wasUnwritable = false
            connection.setHandlers(
                ConnectionHandlers(
                    receive: { connection, bytes in
                        for _ in 0..<bytes.byteCount { connection.send(message) }
                        if !connection.isWritable { wasUnwritable = true }
                    },
                    writable: { _ in
                        (wasUnwritable ? right : wrong).increment()
                        wasUnwritable = false
                    }))
        }
        // Four at a time are more than the mark; the socket has room for 10 to 30 times.
        for times in 5..<35 {
            for _ in 0..<times {
                #expect(wire.send([1, 2, 3, 4]))
                // Its handler has run, and nothing else.
                letTimePass(milliseconds: 1)
            }
            let expected = repeatElement(message, count: times * 4).joined()
            expectSame(wire.receive(times * 4 * 3000), Array(expected))
        }
        expectEventually(right) { $0 > 0 }
        #expect(wrong.value == 0)
        connection.close()
        #expect(wire.receiveEnd() == 0)
    }

    enum Departure: CaseIterable {
        case closes
        case resets
        case shutsDown
    }

    @Test(
        "A peer that left meanwhile closes its connection, and delays no other",
        arguments: Departure.allCases)
    func departed(_ departure: Departure) {
        let leaving = Watched<Wire?>(nil)
        let reasons = Watched<[Int: CloseReason]>([:])
        let (wires, connections, target) = Self.makeNeighbours(
            8, departure == .resets ? { Wire.tcpPair() } : Wire.pair
        ) { number, connection in
            connection.setCloseHandler { _, why in reasons.update { $0[number] = why } }
            connection.setReceiveHandler { connection, _ in
                let leaver = number == 3 ? leaving.value : nil
                switch departure {
                case .closes: leaver?.close()
                case .resets: leaver?.abort()
                case .shutsDown: _ = leaver.map { shutdown($0.descriptor, Int32(SHUT_RDWR)) }
                }
                connection.send([UInt8(number)])
            }
        }
        leaving.update { $0 = wires[3] }
        target.suspend()
        for wire in wires { #expect(wire.send([1])) }
        target.resume()
        for (number, wire) in wires.enumerated() where number != 3 {
            #expect(wire.receive(1) == [UInt8(number)])
        }
        expectEventually(reasons) { $0.count == 1 }
        if case .failed(let error)? = reasons.value[3] {
            #expect(error.code == .brokenPipe || error.code == .connectionReset)
        } else {
            Issue.record("\(reasons.value)")
        }
        for connection in connections { connection.close() }
    }

    @Test("What is sent last before the output ends, or the connection closes, arrives")
    func lastWords() {
        for isClose in [false, true] {
            let (wire, connection, closed) = makeConnection { connection in
                connection.setReceiveHandler { connection, _ in
                    connection.send([1, 2])
                    connection.send([3])
                    if isClose { connection.close() } else { connection.closeOutput() }
                }
            }
            #expect(wire.send([1]))
            #expect(wire.receive(10) == [1, 2, 3])
            wire.closeOutput()
            #expect(closed.wait() == (isClose ? .closed : .ended))
            _ = connection
        }
    }

    @Test("A handler that sends and ends the process has sent")
    func exit() async {
        let name = "ringdispatch-batched-\(getpid())"
        let listener = UnixListener(name)
        let found = Watched<[UInt8]?>(nil)
        let server = UserThread {
            let wire = Wire(listener.accept())
            wire.send([1])
            let bytes = wire.receive(10)
            found.update { $0 = bytes }
        }
        await #expect(processExitsWith: .success) {
            let descriptor = UnixListener.connect("ringdispatch-batched-\(getppid())")
            let connection = Connection(adopting: descriptor)
            connection.setReceiveHandler { connection, _ in
                connection.send([1, 2])
                connection.send([3])
                Glibc.exit(0)
            }
            connection.activate()
            _ = Gate().waitUntilOpen(seconds: Patience.seconds)
        }
        #expect(server.join())
        #expect(found.value == [1, 2, 3])
    }

    /// Sends of all kinds and lengths from handlers, other threads and completions, to peers that
    /// read in odd sizes, while loops are taken over.
    @Test("All bytes arrive in order, however they were sent", arguments: [1, 2, 3])
    func order(seed: UInt64) {
        let rounds = isDeep ? 400 : 40
        let pairs = (0..<12).map { number in
            let sender = MixedSender(seed: seed &* 1000 &+ UInt64(number), rounds: rounds)
            // The peers read so little at first that the kernel takes nothing for a long time.
            // They ask all the same: a connection that read no requests would block them.
            var options = ConnectionOptions()
            options.timeouts.send = .never
            options.pausesReceivingWhileUnwritable = false
            let (wire, connection, closed) = makeConnection(options) { connection in
                connection.setReceiveHandler { connection, bytes in
                    for _ in 0..<bytes.byteCount { sender.step(connection) }
                }
            }
            return (sender, wire, connection, closed)
        }
        let threads = pairs.map { sender, wire, connection, closed in
            UserThread {
                var random = SeededGenerator(seed: seed)
                var isSame = true
                var position = 0
                for _ in 0..<rounds {
                    guard wire.send([0]) else { break }
                    // The next request may overtake the answer, which has at least one byte.
                    if Bool.random(using: &random) { continue }
                    let bytes = wire.receive(1)
                    isSame = isSame && sender.matches(bytes, at: position)
                    position += bytes.count
                }
                wire.closeOutput()
                while true {
                    let bytes = wire.receive(Int.random(in: 1...70_000, using: &random))
                    if bytes.isEmpty { break }
                    isSame = isSame && sender.matches(bytes, at: position)
                    position += bytes.count
                }
                let total = sender.total
                #expect(isSame && position == total, "\(position) of \(total)")
                #expect(closed.wait() == .ended)
                _ = connection
            }
        }
        // Every wait within has its limit: a thread that gets no bytes ends early, and says so.
        for thread in threads { #expect(thread.join(seconds: 30 * Patience.seconds)) }
    }
}

/// Sends a stream of position-dependent bytes in many ways.
private final class MixedSender: @unchecked Sendable {
    // Safety: `step` runs on the connection's queue; `sent` is locked.
    private var random: SeededGenerator
    private let sent = Watched(0)

    init(seed: UInt64, rounds: Int) {
        random = SeededGenerator(seed: seed)
    }

    var total: Int { sent.value }

    private func next(_ count: Int) -> [UInt8] {
        let start = sent.value
        sent.update { $0 += count }
        return bytes(count, at: start)
    }

    private func bytes(_ count: Int, at position: Int) -> [UInt8] {
        let start = position % MixedSender.period
        return Array(MixedSender.stream[start..<start + count])
    }

    private static let period = 65_521
    private static let stream = (0..<3 * period).map { UInt8($0 % period % 251) }

    func matches(_ bytes: [UInt8], at position: Int) -> Bool {
        bytes == self.bytes(bytes.count, at: position)
    }

    func step(_ connection: Connection) {
        connection.send(next(Int.random(in: 1...100, using: &random)))
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: connection.send(next(Int.random(in: 4000...60_000, using: &random)))
            case 1: connection.send(next(Int.random(in: 1...9000, using: &random))) { _ in }
            case 2:
                connection.send(next(300).withUnsafeBytes { DispatchData(bytes: $0) })
            case 3: usleep(UInt32.random(in: 1...3000, using: &random))
            default: connection.send(next(Int.random(in: 1...4160, using: &random)))
            }
        }
    }
}
