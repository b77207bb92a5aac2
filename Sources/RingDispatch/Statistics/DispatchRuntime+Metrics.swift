#if Metrics
public import Metrics

extension DispatchRuntime {
    /// The state of the runtime (``DispatchRuntime/snapshot()``) as metrics of swift-metrics.
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
            recorder.value("ringdispatch_work_items_waiting", now.workItemsWaiting)
            recorder.value("ringdispatch_work_items_away", now.workItemsAway)
            recorder.value("ringdispatch_timers", now.timers)
            recorder.value("ringdispatch_registrations", now.registrations)
            recorder.value("ringdispatch_sources", now.sources)
            recorder.value("ringdispatch_channels", now.channels)
            recorder.total(
                "ringdispatch_batched_sends_total", now.loops.reduce(0) { $0 + $1.batchedSends })
            recorder.total(
                "ringdispatch_send_batches_total", now.loops.reduce(0) { $0 + $1.sendBatches })
            recorder.total("ringdispatch_take_overs_total", now.takeOvers)
            recorder.total("ringdispatch_steals_total", now.steals)
            recorder.total("ringdispatch_wake_ups_total", now.wakeUps)
            recorder.total("ringdispatch_late_wake_ups_total", now.lateWakeUps)
        }
    }
}
#endif
