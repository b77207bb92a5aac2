#if Metrics
import Metrics
import MetricsTestKit
import RingDispatch
import TestSupport
import Testing

@Suite("The runtime's metrics", .watchdog)
struct RuntimeMetricsTests {
    @Test("The state of the runtime is recorded; totals only grow")
    func state() throws {
        let factory = TestMetrics()
        let metrics = DispatchRuntime.MetricsReporter(
            factory: factory, dimensions: [("program", "test")])
        for number in 1...3 {
            metrics.update()
            let loops = try factory.expectGauge("ringdispatch_loops", [("program", "test")])
            #expect(loops.values.count == number)
            #expect(loops.lastValue == Double(DispatchRuntime.snapshot().loops.count))
        }
        let before = DispatchRuntime.snapshot().wakeUps
        metrics.update()
        let counter = try factory.expectCounter(
            "ringdispatch_wake_ups_total", [("program", "test")])
        #expect(counter.totalValue >= Int64(before))
        #expect(counter.totalValue <= Int64(DispatchRuntime.snapshot().wakeUps))
    }

    @Test("Each event loop has metrics of its own")
    func loops() throws {
        let factory = TestMetrics()
        let metrics = DispatchRuntime.MetricsReporter(factory: factory)
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "timer"))
        timer.schedule(deadline: .now() + .seconds(3600))
        timer.start {}
        defer { timer.cancel() }
        #expect(poll { DispatchRuntime.snapshot().timers > 0 })
        let loops = DispatchRuntime.snapshot().loops
        metrics.update()
        let timers = try loops.map { loop in
            let name = (loop.isBackground ? "background-" : "") + "\(loop.index)"
            return try factory.expectGauge("ringdispatch_timers", [("loop", name)]).lastValue
        }
        #expect(timers.contains { $0 ?? 0 > 0 })
    }
}
#endif
