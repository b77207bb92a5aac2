#if Metrics
internal import LinuxPlatform
package import Metrics

/// Gives totals and current values to swift-metrics. Totals become counters, to which the recorder
/// adds what has come since the last time.
package final class MetricsRecorder: Sendable {
    private struct Key: Hashable {
        let label: String
        let loop: String?
    }

    private struct State {
        var counters: [Key: (counter: Counter, total: Int)] = [:]
        var gauges: [Key: Gauge] = [:]
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
    /// - Parameter loop: the name of an event loop, which becomes a dimension; nil: not of a
    ///   loop.
    package func total(_ label: String, _ total: Int, loop: String? = nil) {
        let key = Key(label: label, loop: loop)
        state.withLock { state in
            let known = state.counters[key]
            let counter =
                known?.counter
                ?? Counter(label: label, dimensions: dimensions(of: loop), factory: factory)
            let before = known?.total ?? 0
            if total > before { counter.increment(by: total - before) }
            state.counters[key] = (counter, max(total, before))
        }
    }

    /// Records a number that rises and falls.
    /// - Parameter loop: as above.
    package func value(_ label: String, _ value: Int, loop: String? = nil) {
        let key = Key(label: label, loop: loop)
        state.withLock { state in
            let gauge =
                state.gauges[key]
                ?? Gauge(label: label, dimensions: dimensions(of: loop), factory: factory)
            gauge.record(value)
            state.gauges[key] = gauge
        }
    }

    private func dimensions(of loop: String?) -> [(String, String)] {
        dimensions + (loop.map { [("loop", $0)] } ?? [])
    }
}
#endif
