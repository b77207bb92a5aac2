import Glibc
import RingDispatch
import Testing

@Suite("What worker threads do", .watchdog)
struct WorkerThreadTests {
    @Test("A snapshot names the queue of a handler that stays, its thread, and for how long")
    func staying() {
        let gate = Gate()
        let thread = Watched<Int32>(0)
        DispatchQueue(label: "worker.stays").async {
            thread.update { $0 = currentThreadIdentifier() }
            gate.pass()
        }
        expectEventually(thread) { $0 != 0 }
        let isLong = poll { (worker("worker.stays")?.handlerNanoseconds ?? 0) > 20_000_000 }
        #expect(isLong, "\(DispatchRuntime.snapshot())")
        let shown = worker("worker.stays")
        #expect(shown?.thread == thread.value)
        #expect(shown?.activity == .running)
        gate.open()
        #expect(poll { self.worker("worker.stays") == nil })
    }

    @Test("A worker that waits in sync or in a semaphore shows its own queue, also on a target")
    func waiting() {
        let semaphore = DispatchSemaphore(value: 0)
        let target = DispatchQueue(label: "worker.target")
        DispatchQueue(label: "worker.waits", target: target).async { semaphore.wait() }
        let isLong = poll { (worker("worker.waits")?.handlerNanoseconds ?? 0) > 5_000_000 }
        #expect(isLong, "\(DispatchRuntime.snapshot())")
        #expect(worker("worker.target") == nil)
        semaphore.signal()
        #expect(poll { worker("worker.waits") == nil })
    }

    @Test("The threads of handlers that blocked end soon after them")
    func idle() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let begun = Watched(0)
            let queues = (0..<40).map { DispatchQueue(label: "worker.blocks \($0)") }
            for queue in queues {
                queue.async {
                    begun.increment()
                    gate.pass()
                }
            }
            expectEventually(begun) { $0 == queues.count }
            gate.open()
            for queue in queues { queue.sync {} }
            // They wait for more work for half a second.
            let end = DispatchTime.now() + .seconds(Patience.seconds)
            while librarySleeps().count > queues.count / 2, DispatchTime.now() < end {
                letTimePass(milliseconds: 50)
            }
            let left = librarySleeps().count
            #expect(left <= queues.count / 2, "\(left)")
        }
    }

    @Test("Queues whose handlers keep blocking are shown, too")
    func away() {
        let stop = Gate()
        // More than there are loops: work waits behind each handler, so another worker takes its
        // loop over.
        for _ in 0..<DispatchRuntime.snapshot().loops.count + 2 {
            keepBlocking(DispatchQueue(label: "worker.away"), until: stop)
        }
        let isShown = poll {
            DispatchRuntime.snapshot().workerThreads.contains {
                $0.queue == "worker.away" && $0.loop == nil
            }
        }
        #expect(isShown, "\(DispatchRuntime.snapshot())")
        stop.open()
    }

    @Test("Queues are made and freed while snapshots read their labels")
    func churn() {
        let stop = Gate()
        let users = (0..<3).map { number in
            UserThread {
                var round = 0
                while !stop.wasOpened {
                    round += 1
                    let queue = DispatchQueue(label: "churn \(number) \(round), not a short label")
                    for _ in 0..<3 { queue.async { usleep(20) } }
                    if round % 50 == 0 { queue.sync {} }
                }
                DispatchQueue(label: "churn.end").sync {}
            }
        }
        for _ in 0..<1000 {
            for worker in DispatchRuntime.snapshot().workerThreads {
                let isWhole =
                    worker.queue.map { !$0.hasPrefix("churn ") || $0.hasSuffix("label") } ?? true
                #expect(isWhole)
            }
        }
        stop.open()
        for user in users { #expect(user.join()) }
    }

    private func worker(_ label: String) -> DispatchRuntime.WorkerThread? {
        DispatchRuntime.snapshot().workerThreads.first { $0.queue == label }
    }

    private func keepBlocking(_ queue: DispatchQueue, until stop: Gate) {
        queue.async {
            usleep(10_000)
            if !stop.wasOpened { keepBlocking(queue, until: stop) }
        }
    }
}
