internal import Histogram

extension LoadReport {
    /// The report as text.
    public var text: String {
        var lines = [
            "target      \(plan.targets.map(\.description).joined(separator: ", "))",
            "load        \(loadText)",
            "measured    \(Format.decimal(measurement.seconds, places: 2)) s"
                + (wasInterrupted
                    ? " (interrupted)"
                    : " after \(Format.span(plan.warmupNanoseconds)) of warm-up"),
            "messages    \(Format.grouped(measurement.messages))",
            "rate        \(Format.grouped(Int(measurement.messagesPerSecond))) messages/s, "
                + "\(Format.decimal(measurement.megabytesPerSecond, places: 1)) MB/s received",
            "latency     \(Self.text(measurement.latencies))",
        ]
        lines += openLoopLines
        if plan.messagesPerConnection != nil || plan.connectsPerSecond != nil {
            lines.append(
                "connects    \(Format.grouped(Int(measurement.connects.totalCount))), "
                    + Self.text(measurement.connects))
        }
        lines.append(
            "client CPU  \(Format.decimal(usage.totalSeconds, places: 2)) s, "
                + "\(Format.decimal(processorPercent, places: 0)) % of one CPU, "
                + "\(Format.decimal(processorMicrosecondsPerMessage, places: 2)) µs a message")
        if let line = serverLine { lines.append(line) }
        lines += hostileLines
        lines.append("errors      \(errors.text)")
        if let first = errors.first { lines.append("first error \(first)") }
        lines += warnings.map { "warning     \($0)" }
        if measurement.messages == 0, plan.connections > 0 {
            lines.append("nothing was measured: no answer arrived in time")
        }
        return lines.joined(separator: "\n")
    }

    var loadText: String {
        var parts = [
            "\(Format.grouped(plan.connections)) connections",
            "\(plan.sizes) bytes a message", "pipeline \(plan.pipeline)",
            "\(plan.shardCount) shards",
        ]
        if let rate = plan.schedule.text {
            parts.append(plan.schedule.isPoisson ? "\(rate) (Poisson)" : rate)
        }
        if plan.idleConnections > 0 {
            parts.append("\(Format.grouped(plan.idleConnections)) idle connections")
        }
        return parts.joined(separator: ", ")
    }

    private var openLoopLines: [String] {
        guard plan.isOpenLoop else { return [] }
        let open = measurement.open
        return [
            "service     \(Self.text(open.service))",
            "lateness    \(Self.text(open.slip))",
            "waited      \(Format.grouped(open.waited)) messages for a free connection, "
                + "\(Format.grouped(open.unsent)) were never sent",
        ]
    }

    private var serverLine: String? {
        guard let seconds = usage.serverSeconds, let each = serverMicrosecondsPerMessage else {
            return nil
        }
        let switches = serverSwitchesPerMessage.map {
            ", \(Format.decimal($0, places: 3)) context switches a message"
        }
        return "server CPU  \(Format.decimal(seconds, places: 2)) s, "
            + "\(Format.decimal(each, places: 2)) µs a message"
            + (switches ?? "")
    }

    private var hostileLines: [String] {
        HostileProfile.allCases.compactMap { profile in
            guard let counts = hostile[profile] else { return nil }
            return "hostile     \(profile.rawValue): \(counts.opened) connections, "
                + "\(counts.closedByServer) closed and \(counts.resetByServer) reset by the "
                + "server, "
                + "\(counts.refused) refused, \(Format.grouped(counts.bytesSent)) bytes sent, "
                + "\(Format.grouped(counts.bytesReceived)) received"
        }
    }

    private static func text(_ latencies: LatencyHistogram) -> String {
        let columns = percentiles.map {
            "\($0.label) \(Format.latency(latencies.valueAtPercentile($0.percent)))"
        }
        return (columns + ["max \(Format.latency(latencies.max))"]).joined(separator: "   ")
    }
}
