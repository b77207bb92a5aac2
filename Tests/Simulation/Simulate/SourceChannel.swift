internal import CSimulation
internal import Glibc
internal import RingDispatch

/// A pipe or a pair of sockets, with up to three sources on one end and a thread at the other.
final class SourceChannel: @unchecked Sendable {
    private let near: Int32
    private let far: Int32
    private let isPipe = oneIn(2)
    private let expected = random(1...20_000)
    private let readers: Int
    private let writes: Bool
    private var tests: [TestedSource] = []
    private var bytesRead = 0
    private var bytesWritten = 0
    private var isFarFinished = false
    /// Whether the sources end before everything is read.
    private let endsEarly = oneIn(4)
    /// Whether the last cancel handler closes the descriptor, and begins with the next channel,
    /// which gets its number.
    private let hasHeir = oneIn(2)
    private(set) var heir: SourceChannel?
    private var isClosed = false
    private var duplicate: Int32 = -1
    private let keepsDuplicate = oneIn(2)

    init() {
        var ends: [Int32] = [-1, -1]
        let code =
            isPipe ? pipe(&ends) : socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        require(code == 0, "no channel")
        (near, far) = (ends[0], ends[1])
        setNonBlocking(near)
        readers = oneIn(3) ? 2 : 1
        writes = !isPipe && oneIn(2)
    }

    /// Makes the sources, once.
    private func begin() {
        guard tests.isEmpty else { return }
        if !oneIn(3) { startFarEnd() }
        for _ in 0..<readers {
            let source = DispatchSource.makeReadSource(fileDescriptor: near, queue: queue())
            tests.append(TestedSource(near, source) { [unowned self] in handleRead() })
        }
        if writes {
            let source = DispatchSource.makeWriteSource(fileDescriptor: near, queue: queue())
            tests.append(TestedSource(near, source) { [unowned self] in handleWrite() })
        }
        if hasHeir { for test in tests { test.afterCancel = { [unowned self] in makeHeir() } } }
        for test in tests { test.activate() }
    }

    /// In a cancel handler.
    private func makeHeir() {
        guard tests.allSatisfy({ $0.cancels > 0 }), !isClosed else { return }
        closeNear()
        let next = SourceChannel()
        next.begin()
        heir = next
    }

    private func closeNear() {
        if isClosed { return }
        isClosed = true
        if keepsDuplicate { duplicate = dup(near) }
        close(near)
    }

    func run() {
        begin()
        if !hasStarted { startFarEnd() }
        let limit = simulation_now() + 60_000_000_000
        while !(endsEarly && oneIn(8)) && bytesRead < expected {
            require(simulation_now() < limit, "only \(bytesRead) of \(expected) bytes arrived")
            disturb()
        }
        for test in tests { test.cancel() }
        for test in tests { wait(until: { test.cancels > 0 }, "a cancel handler") }
        if hasHeir { wait(until: { heir != nil }, "the next channel") }
    }

    /// Closes the descriptors. Returns a duplicate of the near one, or -1.
    func finish() -> Int32 {
        closeNear()
        wait(
            until: {
                if duplicate >= 0 { drain(duplicate) }
                return isFarFinished
            }, "the far end")
        for test in tests { require(test.cancels == 1, "\(test.cancels) cancel handlers") }
        return duplicate
    }

    private func drain(_ descriptor: Int32) { _ = readSome(descriptor, 4096) }

    private func queue() -> DispatchQueue? { oneIn(4) ? nil : DispatchQueue(label: "source") }

    // MARK: the threads around the sources

    private var hasStarted = false

    private func startFarEnd() {
        hasStarted = true
        startThread { [self] in
            var sent = 0
            while sent < expected {
                if oneIn(3) { pause(1...2_000) }
                let piece = [UInt8](repeating: 7, count: random(1...min(expected - sent, 4_000)))
                let result = call { write(far, piece, piece.count) }
                if result < 0 { break }
                sent += result
            }
            close(far)
            isFarFinished = true
        }
    }

    private func disturb() {
        pause(1...1_000)
        guard oneIn(3), let test = tests.randomElement(using: &generator) else { return }
        note("suspend", Int(near))
        test.source?.suspend()
        if oneIn(2) { pause(1...500) }
        note("resume", Int(near))
        test.source?.resume()
    }

    private var generator = SeededGenerator()

    // MARK: handlers

    private func handleRead() {
        require(simulation_received(near) > 0, "an event of a descriptor that never had data")
        let (result, _) = readSome(near, random(1...6_000))
        if result > 0 { bytesRead += result }
        require(bytesRead <= expected, "too many bytes")
        if readers == 1 {
            require(result != -Int(EAGAIN), "an event without bytes")
        }
        if oneIn(10) { pause(1...4_000) }
    }

    private func handleWrite() {
        let bytes = [UInt8](repeating: 1, count: random(1...500))
        let result = call { send(near, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
        require(result != -Int(EAGAIN) || tests.isEmpty, "an event without room")
        if result > 0 { bytesWritten += result }
        if oneIn(10) { pause(1...4_000) }
    }
}

struct SeededGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 {
        simulation_random(1 << 32) << 32 | simulation_random(1 << 32)
    }
}
