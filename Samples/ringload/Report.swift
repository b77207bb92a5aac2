import Histogram

/// The run's outcome, for people (`text`) and for programs (`json`, in Report+JSON.swift).
struct Report: Sendable {
    /// The percentiles of the report, with their JSON names.
    static let percentiles: [(percent: Double, label: String, key: String)] = [
        (50, "p50", "p50"), (90, "p90", "p90"), (99, "p99", "p99"), (99.9, "p99.9", "p99_9"),
    ]

    let configuration: LoadConfiguration
    let measurement: Measurement
    let processorTime: ProcessorTime
    let errors: ErrorCounts
    let wasInterrupted: Bool

    /// Something was wrong, or nothing was measured.
    var hasFailed: Bool {
        errors.total > 0 || (measurement.messages == 0 && !wasInterrupted)
    }

    var processorPercent: Double {
        measurement.seconds > 0 ? 100 * processorTime.totalSeconds / measurement.seconds : 0
    }

    var processorMicrosecondsPerMessage: Double {
        measurement.messages > 0
            ? processorTime.totalSeconds * 1e6 / Double(measurement.messages) : 0
    }

    var text: String {
        var lines = [
            "target      \(configuration.target)",
            "load        \(Format.grouped(configuration.connections)) connections, "
                + "\(Format.grouped(configuration.sizeBytes)) bytes a message, "
                + "pipeline \(configuration.pipeline), \(configuration.shards) shards",
            "measured    \(Format.decimal(measurement.seconds, places: 2)) s"
                + (wasInterrupted ? " (interrupted)" : " after \(configuration.warmup) of warm-up"),
            "messages    \(Format.grouped(measurement.messages))",
            "rate        \(Format.grouped(Int(measurement.messagesPerSecond))) messages/s, "
                + "\(Format.decimal(measurement.megabytesPerSecond, places: 1)) MB/s each way",
            "latency     \(latencyText)",
            "client CPU  \(Format.decimal(processorTime.totalSeconds, places: 2)) s, "
                + "\(Format.decimal(processorPercent, places: 0)) % of one CPU, "
                + "\(Format.decimal(processorMicrosecondsPerMessage, places: 2)) µs a message",
            "errors      \(errors.text)",
        ]
        if let first = errors.first { lines.append("first error \(first)") }
        if measurement.messages == 0 { lines.append("nothing was measured: no echo came in time") }
        return lines.joined(separator: "\n")
    }

    private var latencyText: String {
        let latencies = measurement.latencies
        let columns = Self.percentiles.map {
            "\($0.label) \(Format.latency(latencies.valueAtPercentile($0.percent)))"
        }
        return (columns + ["max \(Format.latency(latencies.max))"]).joined(separator: "   ")
    }
}
