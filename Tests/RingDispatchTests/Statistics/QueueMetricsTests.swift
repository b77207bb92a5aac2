#if Metrics
import Metrics
import MetricsTestKit
import RingDispatch
import TestSupport
import Testing

@Suite("A queue's metrics", .watchdog)
struct QueueMetricsTests {
    private let queue = DispatchQueue(label: "store")
    private let factory = TestMetrics()

    private func timer() throws -> TestTimer {
        try factory.expectTimer("ringdispatch_queue_wait_seconds", [("queue", "store")])
    }

    @Test("Each update records how long an item has waited")
    func wait() throws {
        let metrics = DispatchRuntime.QueueMetrics(queue, factory: factory)
        for number in 1...3 {
            metrics.update()
            drain(queue)
            #expect(try timer().values.count == number)
        }
    }

    @Test("Threads may update at the same time")
    func threads() throws {
        let metrics = DispatchRuntime.QueueMetrics(queue, factory: factory)
        queue.suspend()
        DispatchQueue.concurrentPerform(iterations: 1000) { _ in metrics.update() }
        queue.resume()
        drain(queue)
        #expect(try timer().values.count == 1000)
    }

    @Test("While the item waits, an update records its wait until now, and submits no other")
    func suspended() throws {
        let metrics = DispatchRuntime.QueueMetrics(queue, factory: factory)
        queue.suspend()
        metrics.update()
        #expect(try timer().values.isEmpty)
        for _ in 1...3 { metrics.update() }
        queue.resume()
        drain(queue)
        let waits = try timer().values
        #expect(waits.count == 4)
        #expect(waits == waits.sorted())
    }
}
#endif
