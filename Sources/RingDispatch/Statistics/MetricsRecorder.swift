#if Metrics
internal import LinuxPlatform
package import Metrics

/// Gives totals and current values to swift-metrics. Totals become counters, to which the recorder
/// adds what has come since the last time.
package final class MetricsRecorder: Sendable {
    private struct State {
        var counters: [String: (counter: Counter, total: Int)] = [:]
        var gauges: [String: Gauge] = [:]
    }

    private let factory: any MetricsFactory
    private let dimensions: [(String, String)]
    /// Guards the metrics and their last values.
    private let state = Locked(State())

    package init(_ factory: any MetricsFactory, _ dimensions: [(String, String)]) {
        self.factory = factory
        self.dimensions = dimensions
    }

    /// Records a number that never decreases.
    package func total(_ label: String, _ total: Int) {
        state.withLock { state in
            let known = state.counters[label]
            let counter =
                known?.counter ?? Counter(label: label, dimensions: dimensions, factory: factory)
            let before = known?.total ?? 0
            if total > before { counter.increment(by: total - before) }
            state.counters[label] = (counter, max(total, before))
        }
    }

    /// Records a number that rises and falls.
    package func value(_ label: String, _ value: Int) {
        state.withLock { state in
            let gauge =
                state.gauges[label] ?? Gauge(label: label, dimensions: dimensions, factory: factory)
            gauge.record(value)
            state.gauges[label] = gauge
        }
    }
}
#endif
