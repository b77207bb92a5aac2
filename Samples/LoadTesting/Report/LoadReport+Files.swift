internal import Histogram

extension LoadReport {
    /// The latency distribution in milliseconds, in the format of HdrHistogram's plotter.
    public var hgrm: String {
        let latencies = measurement.latencies
        var lines = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""]
        for step in latencies.percentiles(ticksPerHalfDistance: 5) {
            let fraction = step.percentileLevelIteratedTo / 100
            var columns = [
                Format.padded(Self.milliseconds(step.value), to: 12),
                Format.padded(Format.decimal(fraction, places: 12), to: 14),
                Format.padded("\(step.totalCountToThisValue)", to: 10),
            ]
            if fraction < 1 {
                columns.append(Format.padded(Format.decimal(1 / (1 - fraction), places: 2), to: 14))
            }
            lines.append(columns.joined(separator: " "))
        }
        let deviation = latencies.totalCount > 0 ? latencies.stdDeviation : 0
        lines += [
            "#[Mean    = \(Format.padded(Self.milliseconds(latencies.meanOrZero), to: 12)), "
                + "StdDeviation   = \(Format.padded(Self.milliseconds(deviation), to: 12))]",
            "#[Max     = \(Format.padded(Self.milliseconds(latencies.max), to: 12)), "
                + "Total count    = \(Format.padded("\(latencies.totalCount)", to: 12))]",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        milliseconds(Double(nanoseconds))
    }

    private static func milliseconds(_ nanoseconds: Double) -> String {
        Format.decimal(nanoseconds / 1e6, places: 6)
    }

    /// A header line, then one line per interval.
    public var csv: String {
        let names =
            "seconds,warming_up,messages,messages_per_second,p50_ns,p90_ns,p99_ns,p99_9_ns,max_ns,"
            + "errors"
        let lines = intervals.map { interval in
            [
                Format.decimal(interval.seconds, places: 3), interval.isWarmingUp ? "1" : "0",
                "\(interval.messages)", Format.decimal(interval.messagesPerSecond, places: 1),
                "\(interval.p50Nanoseconds)", "\(interval.p90Nanoseconds)",
                "\(interval.p99Nanoseconds)", "\(interval.p999Nanoseconds)",
                "\(interval.maxNanoseconds)", "\(interval.errors)",
            ].joined(separator: ",")
        }
        return ([names] + lines).joined(separator: "\n") + "\n"
    }
}
