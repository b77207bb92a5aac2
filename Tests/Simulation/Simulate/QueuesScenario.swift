internal import CSimulation
internal import Glibc
internal import RingDispatch

/// Queues with targets, handlers that block, and few workers.
final class QueuesScenario: @unchecked Sendable {
    private var queues: [TestedQueue] = []
    /// Only `sync` uses it, from handlers too.
    private let leaf = DispatchQueue(label: "leaf")
    private var isLeafInUse = false
    private let mutex = DispatchSemaphore(value: 1)
    private var isMutexHeld = false
    private var blocked: [Blocker] = []
    private var finished = 0
    private var isInUse = false
    private var isReleasing = false
    private let loopCount = DispatchRuntime.snapshot().loops.count { !$0.isBackground }
    private let workerLimit = DispatchRuntime.snapshot().workerLimit

    private static let firstHandlerProducer = 100

    /// Few workers for some seeds. The background pool takes its descriptors at its first use for
    /// which there is a thread.
    static func setUp(loops: Int) {
        if oneIn(2) { setenv("RINGDISPATCH_WORKERS", "\(loops + random(1...2))", 1) }
        let group = DispatchGroup()
        repeat {
            DispatchQueue.global(qos: .background).async(group: group) {}
            group.wait()
        } while !DispatchRuntime.snapshot().loops.contains { $0.isBackground }
    }

    func run() {
        for _ in 0..<random(1...4) {
            if oneIn(2) { useQueues() }
            if !oneIn(4) { blockWorkers() }
        }
        if loopCount == 1 && oneIn(2) { for _ in 0..<random(1...15) { surpriseMonitor() } }
        requireQuiet()
    }

    func anyQueue() -> TestedQueue { queues[random(0...queues.count - 1)] }

    // MARK: producers

    private func useQueues() {
        queues = []
        for number in 0..<random(1...5) {
            let target = queues.isEmpty || oneIn(2) ? nil : anyQueue()
            queues.append(
                TestedQueue(
                    target: target, isInactive: oneIn(6),
                    producer: QueuesScenario.firstHandlerProducer + number))
        }
        let producers = random(1...4)
        finished = 0
        isInUse = true
        isReleasing = true
        startReleaser()
        for number in 0..<producers {
            startThread { [self] in
                QueueProducer(number, self).run()
                finished += 1
            }
        }
        if oneIn(2) { pause(1...2_000) }
        for tested in queues { tested.queue.activate() }
        wait(until: { finished == producers }, "\(producers - finished) producers")
        wait(
            until: { queues.allSatisfy { $0.unfinished == 0 } },
            "\(queues.map(\.unfinished)) items")
        isInUse = false
        wait(until: { !isReleasing }, "the releasing thread")
    }

    /// What an item does.
    func handle(_ tested: TestedQueue) {
        switch random(1...24) {
        case 1, 2: pause(1...3_000)
        case 3, 4:
            let blocker = Blocker()
            exclusively { blocked.append(blocker) }
            blocker.block()
        case 5, 6:
            guard tested.isSerial else { break }
            let other = anyQueue()
            other.queue.async(execute: other.item(tested.producer, .async) {})
        case 7:
            leaf.sync {
                require(!isLeafInUse, "two threads on a serial queue")
                isLeafInUse = true
                if oneIn(2) { pause(1...300) }
                isLeafInUse = false
            }
        case 8:
            mutex.wait()
            require(!isMutexHeld, "two threads have the semaphore")
            isMutexHeld = true
            if oneIn(2) { pause(1...300) }
            isMutexHeld = false
            mutex.signal()
        case 9: compute(1...200)
        default: break
        }
    }

    private func startReleaser() {
        startThread { [self] in
            defer { isReleasing = false }
            while isInUse {
                pause(1...2_000)
                let next = exclusively {
                    blocked.isEmpty ? nil : blocked.remove(at: random(0...blocked.count - 1))
                }
                next?.release()
            }
        }
    }

    // MARK: the limit of workers

    /// As many handlers run as there are workers, though all block.
    private func blockWorkers() {
        let count = workerLimit < 16 ? workerLimit + random(1...3) : random(2...5)
        let most = min(count, workerLimit)
        let hides = oneIn(2)
        let blockers = (0..<count).map { _ in Blocker(hidesFromLibrary: hides) }
        let counts = Counts()
        submit(blockers, counts)
        wait(
            seconds: 2, until: { counts.running == most },
            "\(most) blocked handlers; \(counts.running) run")
        pause(1...8_000)
        require(counts.running == most, "\(counts.running) handlers run, not \(most)")
        for blocker in blockers.shuffled(using: &generator) {
            blocker.release()
            if oneIn(2) { pause(1...1_500) }
        }
        wait(until: { counts.finished == count }, "\(count - counts.finished) handlers")
    }

    /// From this thread, a handler, or several threads, which use different loops.
    private func submit(_ blockers: [Blocker], _ counts: Counts) {
        let queues = makeQueues(blockers.count)
        let submit: @Sendable (Range<Int>) -> Void = { range in
            for index in range {
                self.block(blockers[index], on: queues[index], counts)
            }
        }
        let all = 0..<blockers.count
        if !oneIn(3) { waitForTicks() }
        note("submit handlers that block", blockers.count)
        switch random(1...4) {
        case 1: DispatchQueue.global().async { submit(all) }
        case 2: submit(all)
        default:
            let middle = random(1...blockers.count - 1)
            for share in [0..<middle, middle..<blockers.count] {
                startThread {
                    // Short items, for which help may be called.
                    for _ in 0..<random(0...4) { DispatchQueue.global().async { compute(0...20) } }
                    submit(share)
                }
            }
        }
    }

    private func block(_ blocker: Blocker, on queue: DispatchQueue, _ counts: Counts) {
        queue.async {
            counts.running += 1
            blocker.block()
            counts.running -= 1
            counts.finished += 1
        }
    }

    private func makeQueues(_ count: Int) -> [DispatchQueue] {
        switch random(1...3) {
        case 1: return Array(repeating: .global(), count: count)
        case 2:
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            return Array(repeating: queue, count: count)
        default: return (0..<count).map { _ in DispatchQueue(label: "serial") }
        }
    }

    private var generator = SeededGenerator()

    private final class Counts: @unchecked Sendable {
        var running = 0
        var finished = 0
    }

    // MARK: rest

    /// The next work arrives when the monitor is about to sleep, after as many ticks as the last
    /// time.
    private func waitForTicks() {
        _ = countTicks()
        runOne()
        let count = countTicks()
        runOne()
        for _ in 1..<max(1, count) { _ = simulation_sleep_until_next_deadline(0) }
        _ = simulation_sleep_until_next_deadline(UInt64(random(0...3_000)))
    }

    /// A handler blocks without the library's knowledge while another one waits behind it.
    private func surpriseMonitor() {
        let blockers = (0..<2).map { _ in Blocker(hidesFromLibrary: true) }
        let counts = Counts()
        waitForTicks()
        for blocker in blockers { block(blocker, on: .global(), counts) }
        wait(seconds: 2, until: { counts.running == 2 }, "the second handler")
        for blocker in blockers { blocker.release() }
        wait(until: { counts.finished == 2 }, "\(2 - counts.finished) handlers")
    }

    private func countTicks() -> Int {
        var count = 0
        while count < 100, simulation_sleep_until_next_deadline(0) { count += 1 }
        return count
    }

    private func runOne() {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { semaphore.signal() }
        semaphore.wait()
    }

    /// No items are left, and nothing happens any more.
    private func requireQuiet() {
        wait(
            seconds: 5,
            until: {
                let snapshot = DispatchRuntime.snapshot()
                let sleeping = snapshot.loops.count { $0.activity == .sleeping }
                return snapshot.workItemsWaiting == 0 && snapshot.timers == 0
                    && snapshot.idleWorkers + sleeping == snapshot.workers
            }, "rest")
        // Idle workers end.
        pause(2_000_000...2_000_000)
        let steps = simulation_steps()
        pause(1_000_000...1_000_000)
        require(simulation_steps() < steps + 20, "threads run although there is nothing to do")
    }
}
