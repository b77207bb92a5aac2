#if Metrics
internal import LinuxPlatform
public import Metrics

extension DispatchRuntime {
    /// How long work waits in a queue until it runs, as a metric of swift-metrics: the timer
    /// `ringdispatch_queue_wait_seconds` with the dimension `queue`, which is the queue's label.
    ///
    /// Call ``update()`` every few seconds, for the queues that matter. It submits an empty item
    /// and records how long that waited, so the queue itself counts nothing.
    public final class QueueMetrics: Sendable {
        private let queue: DispatchQueue
        private let wait: Metrics.Timer
        /// When the item was submitted that still waits; nil: none waits.
        private let submission = Locked(UInt64?.none)

        /// - Parameters:
        ///   - queue: the queue to measure. It is retained.
        ///   - factory: makes the metric; by default that of the process.
        ///   - dimensions: added to the metric, for example to tell queues of one label apart.
        ///     Name the same ones for all queues: swift-prometheus ends the process otherwise.
        public init(
            _ queue: DispatchQueue, factory: any MetricsFactory = MetricsSystem.factory,
            dimensions: [(String, String)] = []
        ) {
            self.queue = queue
            wait = Metrics.Timer(
                label: "ringdispatch_queue_wait_seconds",
                dimensions: [("queue", queue.label)] + dimensions, factory: factory)
        }

        /// Measures once. While the last item still waits, as in a suspended queue, records how
        /// long it has waited by now instead. Threads may call it at the same time.
        public func update() {
            let (now, before) = submission.withLock { submission in
                // Under the lock, so that it is not before that of the item that waits.
                let now = MonotonicClock.nanoseconds()
                defer { submission = submission ?? now }
                return (now, submission)
            }
            if let before { return wait.recordNanoseconds(Int64(now - before)) }
            queue.async { [self] in
                submission.withLock { $0 = nil }
                wait.recordNanoseconds(Int64(MonotonicClock.nanoseconds() - now))
            }
        }
    }
}
#endif
