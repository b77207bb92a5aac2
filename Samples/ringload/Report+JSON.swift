import Histogram
import SampleSupport

extension Report {
    /// Raised when a field changes its meaning or goes; new fields leave it alone.
    static let jsonVersion = 1

    /// The report as a JSON document. The fields are listed in README.md.
    var json: String {
        JSONValue.object([
            ("schema", .string("ringload-report")),
            ("version", .integer(Self.jsonVersion)),
            ("status", .string(hasFailed ? "failed" : wasInterrupted ? "interrupted" : "ok")),
            ("configuration", configurationJSON),
            ("measured_seconds", .number(measurement.seconds)),
            ("messages", .integer(measurement.messages)),
            ("messages_per_second", .number(measurement.messagesPerSecond)),
            ("bytes_received", .integer(measurement.bytes)),
            ("megabytes_per_second", .number(measurement.megabytesPerSecond)),
            ("latency_nanoseconds", latencyJSON),
            ("errors", errorsJSON),
            (
                "client_processor",
                .object([
                    ("user_seconds", .number(processorTime.userSeconds)),
                    ("system_seconds", .number(processorTime.systemSeconds)),
                    ("percent_of_one_cpu", .number(processorPercent)),
                    ("microseconds_per_message", .number(processorMicrosecondsPerMessage)),
                ])
            ),
        ]).document
    }

    private var configurationJSON: JSONValue {
        .object([
            ("target", .string(configuration.target.description)),
            ("connections", .integer(configuration.connections)),
            ("message_bytes", .integer(configuration.sizeBytes)),
            ("pipeline", .integer(configuration.pipeline)),
            ("warmup_seconds", .number(configuration.warmup.seconds)),
            ("duration_seconds", .number(configuration.duration.seconds)),
            ("stall_timeout_seconds", .number(configuration.stallTimeout.seconds)),
            // A string: JSON readers keep 53 bits of a number.
            ("seed", .string(String(configuration.seed))),
            ("shards", .integer(configuration.shards)),
            ("backend", .string(configuration.backend)),
        ])
    }

    private var latencyJSON: JSONValue {
        let latencies = measurement.latencies
        let percentiles = Self.percentiles.map {
            ($0.key, JSONValue.integer(Int(latencies.valueAtPercentile($0.percent))))
        }
        return .object(
            percentiles + [
                ("max", .integer(Int(latencies.max))),
                ("mean", .number(latencies.totalCount > 0 ? latencies.mean : 0)),
            ])
    }

    private var errorsJSON: JSONValue {
        let kinds = ErrorCounts.Kind.allCases.map {
            ($0.jsonKey, JSONValue.integer(errors.count($0)))
        }
        return .object(
            [("total", .integer(errors.total))] + kinds
                + [("first", errors.first.map { .string($0) } ?? .null)])
    }
}
