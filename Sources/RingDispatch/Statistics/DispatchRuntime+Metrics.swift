#if Metrics
public import Metrics

extension DispatchRuntime {
    /// The state of the runtime (``DispatchRuntime/snapshot()``) as metrics of swift-metrics. Those
    /// of an event loop have the dimension `loop`: `0`, `1`, `background-0`.
    ///
    /// swift-metrics has no way to ask for values, so call ``update()`` before each scrape, or
    /// every few seconds.
    public final class MetricsReporter: Sendable {
        private let recorder: MetricsRecorder

        /// - Parameters:
        ///   - factory: makes the metrics; by default that of the process.
        ///   - dimensions: added to each metric.
        public init(
            factory: any MetricsFactory = MetricsSystem.factory, dimensions: [(String, String)] = []
        ) {
            recorder = MetricsRecorder(factory, dimensions)
        }

        /// Records the present state. Threads may call it at the same time.
        public func update() {
            let now = DispatchRuntime.snapshot()
            recorder.value("ringdispatch_loops", now.loops.count)
            recorder.value("ringdispatch_workers", now.workers)
            recorder.value("ringdispatch_idle_workers", now.idleWorkers)
            recorder.value("ringdispatch_work_items_away", now.workItemsAway)
            recorder.value("ringdispatch_sources", now.sources)
            recorder.value("ringdispatch_channels", now.channels)
            recorder.total("ringdispatch_take_overs_total", now.takeOvers)
            recorder.total("ringdispatch_steals_total", now.steals)
            recorder.total("ringdispatch_wake_ups_total", now.wakeUps)
            recorder.total("ringdispatch_late_wake_ups_total", now.lateWakeUps)
            for loop in now.loops {
                let name = (loop.isBackground ? "background-" : "") + "\(loop.index)"
                recorder.value("ringdispatch_work_items_waiting", loop.workItemsWaiting, loop: name)
                recorder.value("ringdispatch_timers", loop.timers, loop: name)
                recorder.value("ringdispatch_registrations", loop.registrations, loop: name)
                recorder.total("ringdispatch_batched_sends_total", loop.batchedSends, loop: name)
                recorder.total("ringdispatch_send_batches_total", loop.sendBatches, loop: name)
            }
        }
    }
}
#endif
