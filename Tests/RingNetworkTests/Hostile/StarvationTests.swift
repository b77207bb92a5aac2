import Glibc
import RingDispatch
import RingNetwork
import Synchronization
import Testing

@Suite("Sources that are always ready, and connections", .watchdog)
struct StarvationTests {
    private final class Calls: Sendable {
        let value = Atomic<Int>(0)
    }

    /// Waits for a connection's bytes while sources report pipes that nobody reads.
    /// - Returns: whether the bytes arrived before the sources' handlers were called so often.
    private func isServed(beside sourceCount: Int, within calls: Int) throws -> Bool {
        let called = Calls()
        let isOver = Gate()
        let pipes = try (0..<sourceCount).map { _ in
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            try #require(write(ends[1], "x", 1) == 1)
            return ends
        }
        let sources = pipes.map { ends in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: ends[0], queue: DispatchQueue(label: "always.ready"))
            return (source, ends)
        }
        return try withExtendedLifetime(sources) {
            let ended = Watched(0)
            for (source, ends) in sources {
                source.setEventHandler {
                    let count = called.value.wrappingAdd(1, ordering: .relaxed).newValue
                    if count == calls { isOver.open() }
                }
                source.setCancelHandler {
                    for end in ends { close(end) }
                    ended.increment()
                }
                source.activate()
            }
            let listener = try makeEchoListener()
            let isServed = Watched(false)
            let client = UserThread {
                let wire = Wire.connect(to: listener.port)
                wire.send([1])
                if wire.receive(1) == [1] { isServed.update { $0 = true } }
                isOver.open()
            }
            expectOpens(isOver)
            let result = isServed.value
            for (source, _) in sources { source.cancel() }
            expectEventually(ended) { $0 == sourceCount }
            #expect(client.join())
            stop(listener)
            return result
        }
    }

    @Test("A few leave room for connections")
    func few() throws {
        let isServed = try isServed(beside: 8, within: 1_000_000)
        #expect(isServed)
    }

    @Test("64 for each event loop leave room for connections")
    func many() throws {
        let isServed = try isServed(beside: 64 * 2, within: 1_000_000)
        #expect(isServed)
    }
}
