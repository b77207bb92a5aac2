import Synchronization
import TestSupport
import Testing

@testable import RingDispatch

@Suite("The state of a queue", .watchdog)
struct QueueStateTests {
    /// Waits until the last thread has let the queue go, which is after its last item has run.
    private func expectRest(_ queue: DispatchQueue) {
        let isAtRest = poll {
            let state = QueueState(queue.state.load(ordering: .acquiring))
            return state.owner == 0 && state.running == 0 && !state.isEnqueued
        }
        #expect(isAtRest, "\(queue)")
        if isAtRest { queue.checkInvariants() }
    }

    @Test(
        "A queue that many threads have used is at rest afterwards",
        arguments: [1, 2, 3] as [UInt64])
    func rest(seed: UInt64) {
        let serial = DispatchQueue(label: "state.serial")
        let target = DispatchQueue(label: "state.target")
        let nested = DispatchQueue(label: "state.nested", target: target)
        let concurrent = DispatchQueue(label: "state.concurrent", attributes: .concurrent)
        let queues = [serial, target, nested, concurrent]
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var generator = SeededGenerator(seed: seed &* 8 &+ UInt64(thread))
            for _ in 0..<300 {
                let queue = queues.randomElement(using: &generator)!
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: queue.sync {}
                case 1: queue.async(flags: .barrier) {}
                case 2: queue.sync(flags: .barrier) {}
                case 3:
                    queue.suspend()
                    queue.async {}
                    queue.resume()
                default: queue.async {}
                }
            }
        }
        for queue in queues { queue.sync(flags: .barrier) {} }
        for queue in queues { expectRest(queue) }
    }

    @Test("Items that nobody may run yet leave their queue dirty")
    func stopped() {
        let queue = DispatchQueue(label: "state.suspended")
        queue.sync {}
        queue.suspend()
        let done = DispatchGroup()
        for _ in 0..<3 { queue.async(group: done) {} }
        expectRest(queue)
        #expect(QueueState(queue.state.load(ordering: .acquiring)).isDirty)
        queue.resume()
        done.wait()
        expectRest(queue)
        #expect(queue.state.load(ordering: .acquiring) == 0)
    }
}
