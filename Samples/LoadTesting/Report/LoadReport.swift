internal import Histogram

/// The results of a run.
public struct LoadReport: Sendable {
    /// The reported percentiles, with their JSON names.
    public static let percentiles: [(percent: Double, label: String, key: String)] = [
        (50, "p50", "p50"), (90, "p90", "p90"), (99, "p99", "p99"), (99.9, "p99.9", "p99_9"),
        (99.99, "p99.99", "p99_99"),
    ]

    /// What was to be done.
    public let plan: LoadPlan
    /// Where and with what it was done.
    public let environment: RunEnvironment
    /// The figures of the measured time.
    public let measurement: Measurement
    /// The figures over time, warm-up included.
    public let intervals: [LoadInterval]
    /// The CPU time of the client, and of the observed server.
    public let usage: UsageObservation
    /// The errors of the whole run, warm-up included.
    public let errors: ErrorCounts
    /// What became of the ill-behaved clients.
    public let hostile: [HostileProfile: HostileCounts]
    /// Whether the run was ended early.
    public let wasInterrupted: Bool

    /// True if there were errors, or nothing was measured.
    public var hasFailed: Bool {
        let wantsMessages = plan.connections > 0 && !wasInterrupted
        return errors.total > 0 || (measurement.messages == 0 && wantsMessages)
    }

    /// The CPU time of the client during the measurement; 100 is one CPU.
    public var processorPercent: Double {
        measurement.seconds > 0 ? 100 * usage.totalSeconds / measurement.seconds : 0
    }

    /// The CPU time of the client for a message; 0 if none was measured.
    public var processorMicrosecondsPerMessage: Double {
        measurement.messages > 0 ? usage.totalSeconds * 1e6 / Double(measurement.messages) : 0
    }

    /// The CPU time of the server for a message; nil if its process was not observed.
    public var serverMicrosecondsPerMessage: Double? {
        usage.serverSeconds.map { $0 * 1e6 / Double(max(1, measurement.messages)) }
    }

    var serverSwitchesPerMessage: Double? {
        usage.serverContextSwitches.map { Double($0) / Double(max(1, measurement.messages)) }
    }

    /// Reasons to doubt the figures: the client was the bottleneck, or missed the schedule,
    /// or opened fewer idle connections.
    public var warnings: [String] {
        var warnings: [String] = []
        // In an open loop the client's loops spin, so only lateness shows that it is the
        // bottleneck.
        let processors = min(plan.shardCount, RunEnvironment.usableProcessors)
        if !plan.isOpenLoop, processorPercent > 95 * Double(processors) {
            warnings.append(
                "the client was the limit: it used \(Format.decimal(processorPercent, places: 0)) "
                    + "% of a CPU with \(plan.shardCount) event loops; the figures are the "
                    + "client's")
        }
        if measurement.idleConnections < plan.idleConnections {
            warnings.append(
                "only \(Format.grouped(measurement.idleConnections)) of "
                    + "\(Format.grouped(plan.idleConnections)) idle connections were opened: use "
                    + "a longer --duration, or a higher --connect-rate")
        }
        guard let rate = plan.schedule.text else { return warnings }
        let open = measurement.open
        let slip = open.slip.valueAtPercentile(99)
        if slip > Self.mostSlipNanoseconds {
            warnings.append(
                "the client was late: 1 % of the messages by \(Format.latency(slip)) or more, "
                    + "though a connection was free; use more CPUs, or a lower --rate")
        }
        if open.unsent > 0 {
            warnings.append(
                "\(Format.grouped(open.unsent)) messages were due and not sent, since no "
                    + "connection was free: the server did not keep up with "
                    + "\(rate), or there are too few --connections"
                    + (open.hasWarmupBacklog ? "; the warm-up's backlog was not worked off" : ""))
        }
        return warnings
    }

    private static let mostSlipNanoseconds: UInt64 = 1_000_000

    /// The share of the due messages that must be answered.
    private static let leastAnsweredShare = 0.99

    /// A backlog that is worked off within this time after the end is only a hiccup.
    private static let hiccupSeconds = 0.1

    /// Whether the server answered the messages of an open loop at its rate.
    public var keptRate: Bool {
        guard plan.isOpenLoop else { return true }
        // At random intervals, their number is random, too.
        let open = measurement.open
        let due = Double(Int(open.slip.totalCount) + open.waited + open.unsent)
        let seconds = max(measurement.dueSeconds, measurement.seconds - Self.hiccupSeconds)
        // Each shard may count one message on the wrong side at either end of the measured time.
        let answered = Double(measurement.messages + 2 * plan.shardCount)
        return answered * measurement.dueSeconds >= due * seconds * Self.leastAnsweredShare
    }

    /// A percentile of the latencies, in nanoseconds.
    public func percentile(_ percent: Double) -> UInt64 {
        measurement.latencies.valueAtPercentile(percent)
    }
}
