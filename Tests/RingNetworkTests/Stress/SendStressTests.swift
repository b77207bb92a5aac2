import Glibc
import RingDispatch
import Testing

/// Sends of all kinds on connections whose handlers stay, whose loops are taken over, and whose
/// queues are stolen, to peers that read slowly, end and reset.
@Suite("Sends under stress", .watchdog(limitSeconds: 3600))
struct SendStressTests {
    /// In a process of its own, so that all that its loops do concerns these connections.
    @Test("Bytes arrive in order and exactly once, whatever happens to the loops")
    func everyByte() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "3", 1)
            setenv("RINGDISPATCH_LOG", "off", 1)
            let limitSeconds = (isDeep ? 40 : 8) * Patience.seconds
            alarm(UInt32(limitSeconds + 2 * Patience.seconds))
            let run = SendStressRun(limitSeconds: limitSeconds)
            run.run()
            let seen = run.seen
            if isDeep { print(DispatchRuntime.snapshot().backend, seen) }
            #expect(seen.meets(run.wanted), "untested: \(seen), wanted \(run.wanted)")
        }
    }
}

/// What happened to connections while they had unsent bytes.
struct SendCoverage {
    /// Messages whose bytes were compared.
    var messages = 0
    /// The kernel took some bytes of a send, but not all.
    var shortSends = 0
    /// The loop of the handler went to another worker, or was handed off.
    var handOffs = 0
    /// The next send was made on another loop, which had stolen the queue.
    var steals = 0
    /// Of `handOffs`: bytes of the handler were in the loop's batch.
    var pendingBatches = 0
    /// Sends of batches of which the kernel took some bytes, but not all.
    var shortBatchedSends = 0

    static let deep = SendCoverage(
        messages: 1_000_000, shortSends: 1000, handOffs: 100, steals: 100, pendingBatches: 100,
        shortBatchedSends: 1000)
    static let short = SendCoverage(
        messages: 10_000, shortSends: 100, handOffs: 10, steals: 5, pendingBatches: 10,
        shortBatchedSends: 20)

    func meets(_ wanted: SendCoverage) -> Bool {
        messages >= wanted.messages && shortSends >= wanted.shortSends
            && handOffs >= wanted.handOffs && steals >= wanted.steals
            && pendingBatches >= wanted.pendingBatches
            && shortBatchedSends >= wanted.shortBatchedSends
    }
}

/// One run: peers on threads of their own, each with one connection after the other.
final class SendStressRun: Sendable {
    let coverage = Watched(SendCoverage())
    /// All that was seen.
    var seen: SendCoverage {
        coverage.update { coverage in
            coverage.shortBatchedSends = SendProbe.shortBatchedSends
            return coverage
        }
    }
    /// A file with the messages' bytes.
    let file: Int32
    /// A queue that several connections share.
    let sharedQueue = DispatchQueue(label: "send-stress.shared")
    let neighbours = Watched<[StressSender.Neighbour]>([])
    let outsider = Outsider()
    let wanted: SendCoverage
    private let deadline: DispatchTime

    private static let peers = 24

    init(limitSeconds: Int) {
        var wanted = isDeep ? SendCoverage.deep : .short
        // Without io_uring there are no batches.
        if DispatchRuntime.snapshot().backend == "epoll" {
            wanted.pendingBatches = 0
            wanted.shortBatchedSends = 0
        }
        self.wanted = wanted
        deadline = .now() + .seconds(limitSeconds)
        let folder = Folder()
        file = open(folder.makeFile("bytes", StressMessage.content), O_RDONLY | O_CLOEXEC)
        precondition(file >= 0, "errno \(errno)")
    }

    var isOver: Bool { seen.meets(wanted) || DispatchTime.now() > deadline }

    func run() {
        let threads = startThreads(SendStressRun.peers) { [self] number in
            var life = 0
            while !isOver {
                StressPeer(number: number, life: life, of: self).live()
                life += 1
            }
        }
        for thread in threads { #expect(thread.join(seconds: 60 * Patience.seconds)) }
        outsider.stop()
    }
}
