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

    /// Events that come without end.
    enum Kind: CaseIterable {
        case readable, writable, timer, fileSystem, userData, items
    }

    /// Begins events of a kind. Each calls `body` on a queue of its own.
    /// - Returns: ends them, and calls its argument once `body` is not called any more.
    private static func begin(
        _ kind: Kind, _ body: @escaping @Sendable () -> Void
    ) throws -> (@escaping @Sendable () -> Void) -> Void {
        let queue = DispatchQueue(label: "always.ready")
        var ends: [Int32] = []
        let source: any DispatchSourceProtocol
        switch kind {
        case .readable, .writable:
            var pair: [Int32] = [-1, -1]
            try #require(pipe(&pair) == 0)
            try #require(write(pair[1], "x", 1) == 1)
            ends = pair
            source =
                kind == .readable
                ? DispatchSource.makeReadSource(fileDescriptor: pair[0], queue: queue)
                : DispatchSource.makeWriteSource(fileDescriptor: pair[1], queue: queue)
        case .timer:
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now(), repeating: .nanoseconds(1), leeway: .nanoseconds(0))
            source = timer
        case .fileSystem:
            let folder = Folder()
            ends = withExtendedLifetime(folder) {
                [open(folder.makeFile("always"), O_RDWR | O_CLOEXEC)]
            }
            try #require(ends[0] >= 0)
            source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: ends[0], eventMask: .attrib, queue: queue)
        case .userData, .items:
            source = DispatchSource.makeUserDataAddSource(queue: queue)
        }
        let adding = source as? any DispatchSourceUserDataAdd
        source.setEventHandler { [ends] in
            body()
            if kind == .userData { adding?.add(data: 1) }
            if kind == .fileSystem { fchmod(ends[0], 0o600) }
        }
        source.setRegistrationHandler { [ends] in
            if kind == .userData { adding?.add(data: 1) }
            if kind == .fileSystem { fchmod(ends[0], 0o600) }
        }
        source.activate()
        if kind == .items { submit(to: queue, until: source, body) }
        return { [ends] ended in
            source.setCancelHandler {
                for end in ends { close(end) }
                ended()
            }
            source.cancel()
        }
    }

    private static func submit(
        to queue: DispatchQueue, until source: any DispatchSourceProtocol,
        _ body: @escaping @Sendable () -> Void
    ) {
        queue.async {
            body()
            if !source.isCancelled { submit(to: queue, until: source, body) }
        }
    }

    /// Waits for a connection's bytes while other events come without end.
    /// - Returns: whether the bytes arrived before the events' handlers were called so often.
    private func isServed(
        beside count: Int, of kinds: [Kind], within calls: Int
    ) throws -> Bool {
        let called = Calls()
        let isOver = Gate()
        let ended = Watched(0)
        let stops = try (0..<count).map { number in
            try Self.begin(kinds[number % kinds.count]) {
                let count = called.value.wrappingAdd(1, ordering: .relaxed).newValue
                if count == calls { isOver.open() }
            }
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
        for stop in stops { stop { ended.increment() } }
        expectEventually(ended) { $0 == count }
        #expect(client.join())
        stop(listener)
        return result
    }

    @Test(
        "One, and a few, leave room for connections",
        arguments: [1, 8], Kind.allCases)
    func few(count: Int, kind: Kind) throws {
        let isServed = try isServed(beside: count, of: [kind], within: 2_000_000)
        #expect(isServed)
    }

    @Test(
        "Many leave room for connections",
        arguments: Kind.allCases.map { [$0] } + [Kind.allCases])
    func many(kinds: [Kind]) throws {
        let isServed = try isServed(beside: 128, of: kinds, within: 10_000_000)
        #expect(isServed)
    }
}
