import RingDispatch
import Testing

@Suite("Serial and concurrent queue classes", .watchdog)
struct SerialExecutorTests {
    private actor Counter {
        private let queue: DispatchSerialQueue
        private(set) var count = 0

        init(queue: DispatchSerialQueue) {
            self.queue = queue
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            queue.asUnownedSerialExecutor()
        }

        func increment() {
            dispatchPrecondition(condition: .onQueue(queue))
            count += 1
        }
    }

    @Test("An actor whose executor is a serial queue runs on that queue")
    func executor() async {
        let queue = DispatchSerialQueue(label: "executor.actor")
        let counter = Counter(queue: queue)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await counter.increment() } }
        }
        #expect(await counter.count == 100)
    }

    @Test("An actor can assume its isolation in an item of its queue")
    func assumeIsolated() async {
        let queue = DispatchSerialQueue(label: "executor.assume")
        let counter = Counter(queue: queue)
        queue.sync { counter.assumeIsolated { $0.increment() } }
        #expect(await counter.count == 1)
    }

    @Test("A concurrent queue object runs items beside each other")
    func concurrent() {
        let queue = DispatchConcurrentQueue(label: "executor.concurrent")
        let inside = Watched(0)
        let leave = Gate()
        for _ in 0..<2 {
            queue.async {
                inside.increment()
                leave.pass()
            }
        }
        expectEventually(inside) { $0 == 2 }
        leave.open()
    }
}
