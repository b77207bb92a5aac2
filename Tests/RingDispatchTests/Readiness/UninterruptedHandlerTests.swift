import Glibc
import RingDispatch
import Testing

/// Events of a loop do not interrupt the handler that runs on the loop's thread. In child
/// processes, with one event loop for all.
@Suite("Handlers that block in system calls", .watchdog, .serialized)
struct UninterruptedHandlerTests {
    @Test("They last as long as they should, while sockets of the same loop become readable")
    func sockets() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            block(beside: nil)
        }
    }

    @Test("They last as long as they should, while the same loop reads files, too")
    func files() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            block(beside: ColdReads(files: 16, of: 1_000_000))
        }
    }
}

/// Many sockets with a read source each, and a thread that keeps them busy.
private final class Traffic: Sendable {
    private static let count = 200
    private let channels: [Channel]
    private let sources: [any DispatchSourceRead]
    private let cancelled: [Gate]
    private let received = Watched(0)
    private let rounds = Watched(0)
    private let stop = Gate()

    init() {
        channels = (0..<Traffic.count).map { _ in Channel(.socketPair) }
        sources = channels.enumerated().map { [received] number, channel in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near, queue: DispatchQueue(label: "busy.\(number)"))
            source.setEventHandler {
                received.increment(by: readAll(from: channel.near).count)
            }
            return source
        }
        cancelled = sources.map { RingDispatchTests.activate($0) }
    }

    /// All sockets become readable, again and again, as soon as all were read.
    func run() -> UserThread {
        UserThread { [self] in
            while !stop.wasOpened {
                for channel in channels { write(1, to: channel.far) }
                let total = rounds.increment() * Traffic.count
                expectEventually(received) { $0 == total }
            }
        }
    }

    func expectRounds(_ count: Int) { expectEventually(rounds) { $0 > count } }
    var roundCount: Int { rounds.value }

    func end(_ thread: UserThread) {
        stop.open()
        #expect(thread.join())
        for (source, cancelled) in zip(sources, cancelled) { finish(source, cancelled) }
    }
}

/// The complaints of a handler that blocks in all ways while the traffic goes on.
/// - Parameter reads: starts them before the handler runs, on the loop's thread.
private func block(beside reads: ColdReads?) {
    setenv("RINGDISPATCH_LOOPS", "1", 1)
    let traffic = Traffic()
    let thread = traffic.run()
    let trigger = Channel(.pipe)
    let complaints = Watched<[String]?>(nil)
    let source = DispatchSource.makeReadSource(
        fileDescriptor: trigger.near, queue: DispatchQueue(label: "busy.blocked"))
    let cancelled = activate(source) {
        _ = readAll(from: trigger.near)
        let before = traffic.roundCount
        let found = BlockingCall.complaints()
        // The traffic went on meanwhile.
        traffic.expectRounds(before)
        complaints.update { $0 = found }
    }
    traffic.expectRounds(1)
    DispatchQueue(label: "busy.starter").async {
        reads?.start()
        write(1, to: trigger.far)
    }
    expectEventually(complaints) { $0 != nil }
    let found = (complaints.value ?? []).joined(separator: ", ")
    #expect(found.isEmpty, "\(found)")
    reads?.expectEnd()
    traffic.end(thread)
    finish(source, cancelled)
    reads?.finish()
}
