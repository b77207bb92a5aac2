internal import Glibc
internal import Histogram
internal import WireFormats

extension LoadReport {
    /// Raised when a field changes its meaning or disappears, but not for new fields.
    public static let jsonVersion = 1

    /// The report for programs. ringload's README.md lists the fields.
    public var json: String {
        var members: [(String, JSONValue)] = [
            ("schema", .string("ringload-report")),
            ("version", .integer(Self.jsonVersion)),
            ("status", .string(hasFailed ? "failed" : wasInterrupted ? "interrupted" : "ok")),
            ("environment", environmentJSON),
            ("configuration", configurationJSON),
            ("measured_seconds", .number(measurement.seconds)),
            ("messages", .integer(measurement.messages)),
            ("messages_per_second", .number(measurement.messagesPerSecond)),
            ("bytes_received", .integer(measurement.bytes)),
            ("megabytes_per_second", .number(measurement.megabytesPerSecond)),
            ("latency_nanoseconds", Self.json(measurement.latencies)),
        ]
        if plan.isOpenLoop { members.append(("open_loop", openLoopJSON)) }
        members += [
            ("connect_nanoseconds", Self.json(measurement.connects)),
            ("errors", errorsJSON),
            ("client_processor", clientJSON),
        ]
        if let server = serverJSON { members.append(("server_processor", server)) }
        if !hostile.isEmpty { members.append(("hostile", hostileJSON)) }
        members += [
            ("warnings", .array(warnings.map { .string($0) })),
            ("intervals", .array(intervals.map(Self.json))),
        ]
        return JSONValue.object(members).document
    }

    private var environmentJSON: JSONValue {
        .object([
            ("date", .string(environment.date)),
            ("host", .string(environment.host)),
            ("kernel", .string(environment.kernel)),
            ("processors", .string(environment.processors)),
            ("ringload", .string(environment.program)),
            ("command_line", .string(environment.commandLine)),
            ("client_backend", .string(environment.clientBackend)),
            ("server_backend", environment.serverBackend.map { .string($0) } ?? .null),
        ])
    }

    private var configurationJSON: JSONValue {
        let load: [JSONValue.Member] = [
            ("target", .string(plan.targets.first?.description ?? "")),
            ("targets", .array(plan.targets.map { .string($0.description) })),
            ("connections", .integer(plan.connections)),
            ("message_bytes", .integer(plan.sizes.largest)),
            ("message_sizes", .string(plan.sizes.description)),
            ("pipeline", .integer(plan.pipeline)),
            ("messages_per_second", plan.schedule.perSecond.map { .number($0) } ?? .null),
            ("ramp", rampJSON),
            ("is_poisson", .boolean(plan.schedule.isPoisson)),
            ("connects_per_second", plan.connectsPerSecond.map { .number($0) } ?? .null),
            ("requests", plan.requests.map { .integer($0) } ?? .null),
        ]
        let rest: [JSONValue.Member] = [
            ("line", plan.line.map { .string($0) } ?? .null),
            ("http", .string("\(plan.http.method.rawValue), \(plan.http.body.rawValue)")),
            ("commands", .string("\(plan.resp), \(plan.resp.keys) keys")),
            ("hostile", .string(hostileText)),
            ("idle_connections", .integer(plan.idleConnections)),
            ("messages_per_connection", plan.messagesPerConnection.map { .integer($0) } ?? .null),
            ("warmup_seconds", .number(Double(plan.warmupNanoseconds) / 1e9)),
            ("duration_seconds", .number(Double(plan.durationNanoseconds) / 1e9)),
            ("stall_timeout_seconds", .number(Double(plan.stallNanoseconds) / 1e9)),
            // A string: many JSON readers keep only 53 bits of a number.
            ("seed", .string(String(plan.seed))),
            ("shards", .integer(plan.shardCount)),
            ("backend", .string(backend)),
        ]
        return .object(load + rest)
    }

    /// The requested back end, not the one that the runtime chose.
    private var backend: String {
        let name = getenv("RINGDISPATCH_BACKEND").map { String(cString: $0) } ?? ""
        return name.isEmpty ? "auto" : name
    }

    private var hostileText: String {
        let kinds = plan.hostile.map(\.rawValue).joined(separator: ",")
        return kinds.isEmpty ? "" : "\(kinds):\(plan.hostileConnections)"
    }

    private var rampJSON: JSONValue {
        guard case .ramp(let first, let last, _) = plan.schedule else { return .null }
        return .array([.number(first), .number(last)])
    }

    private static func json(_ latencies: LatencyHistogram) -> JSONValue {
        let percentiles = percentiles.map {
            ($0.key, JSONValue.integer(latencies.valueAtPercentile($0.percent)))
        }
        return .object(
            percentiles + [
                ("max", .integer(latencies.max)),
                ("mean", .number(latencies.meanOrZero)),
                ("hdrhistogram", .base64(latencies.compressed)),
            ])
    }

    private static func json(_ interval: LoadInterval) -> JSONValue {
        .object([
            ("seconds", .number(interval.seconds)),
            ("is_warming_up", .boolean(interval.isWarmingUp)),
            ("messages", .integer(interval.messages)),
            ("messages_per_second", .number(interval.messagesPerSecond)),
            ("p50", .integer(interval.p50Nanoseconds)),
            ("p90", .integer(interval.p90Nanoseconds)),
            ("p99", .integer(interval.p99Nanoseconds)),
            ("p99_9", .integer(interval.p999Nanoseconds)),
            ("max", .integer(interval.maxNanoseconds)),
            ("errors", .integer(interval.errors)),
            ("microseconds_per_message", .number(interval.processorMicrosecondsPerMessage)),
        ])
    }

    private var openLoopJSON: JSONValue {
        let open = measurement.open
        return .object([
            ("service_nanoseconds", Self.json(open.service)),
            ("lateness_nanoseconds", Self.json(open.slip)),
            ("waited", .integer(open.waited)),
            ("unsent", .integer(open.unsent)),
        ])
    }

    private var errorsJSON: JSONValue {
        let kinds = ErrorCounts.Kind.allCases.map {
            ($0.rawValue, JSONValue.integer(errors.count($0)))
        }
        return .object(
            [("total", .integer(errors.total))] + kinds
                + [("first", errors.first.map { .string($0) } ?? .null)])
    }

    private var clientJSON: JSONValue {
        .object([
            ("user_seconds", .number(usage.userSeconds)),
            ("system_seconds", .number(usage.systemSeconds)),
            ("percent_of_one_cpu", .number(processorPercent)),
            ("microseconds_per_message", .number(processorMicrosecondsPerMessage)),
        ])
    }

    private var serverJSON: JSONValue? {
        guard let seconds = usage.serverSeconds, let each = serverMicrosecondsPerMessage else {
            return nil
        }
        let switches = serverSwitchesPerMessage
        return .object([
            ("seconds", .number(seconds)),
            ("microseconds_per_message", .number(each)),
            ("context_switches_per_message", switches.map { .number($0) } ?? .null),
        ])
    }

    private var hostileJSON: JSONValue {
        .object(
            HostileProfile.allCases.compactMap { profile in
                guard let counts = hostile[profile] else { return nil }
                return (
                    profile.rawValue,
                    .object([
                        ("opened", .integer(counts.opened)),
                        ("refused", .integer(counts.refused)),
                        ("closed_by_server", .integer(counts.closedByServer)),
                        ("reset_by_server", .integer(counts.resetByServer)),
                        ("bytes_sent", .integer(counts.bytesSent)),
                        ("bytes_received", .integer(counts.bytesReceived)),
                    ])
                )
            })
    }
}
