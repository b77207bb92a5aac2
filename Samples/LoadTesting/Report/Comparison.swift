internal import WireFormats

/// Compares two reports, and tells real differences from noise.
///
/// The noise is estimated from the intervals of each run (Welch's t): a difference is real if it
/// exceeds three standard errors, and one percent.
public struct Comparison: Sendable {
    /// Whether a figure has changed.
    public enum Verdict: String, Sendable {
        /// A real difference, in the right direction.
        case better
        /// A real difference, in the wrong direction.
        case worse
        /// No real difference.
        case noise = "within noise"
        /// Too few intervals for a verdict.
        case unknown = "too short to tell"
    }

    /// A figure of both reports.
    public struct Row: Sendable {
        /// As in the text report, such as `p99`.
        public let name: String
        /// The figure of the first report.
        public let before: Double
        /// The figure of the second report.
        public let after: Double
        /// Whether the difference is more than noise, and for the better.
        public let verdict: Verdict
        let isLatency: Bool

        /// The change relative to the first report; 0 if that figure is 0.
        public var changePercent: Double { before > 0 ? 100 * (after / before - 1) : 0 }
    }

    /// The compared figures, in the order of the report.
    public let rows: [Row]
    /// The runs that had errors or were interrupted: `a.json: failed, 3 errors`.
    public let failures: [String]
    /// What differs between the runs besides the figures: `connections 64 and 128`.
    public let differences: [String]
    /// Differs between any two runs, or is the short form of another field.
    private static let ignoredFields = [
        "seed", "target", "message_bytes", "date", "command_line",
    ]

    private static let fewestIntervals = 3
    private static let standardErrors = 3.0
    private static let leastPercent = 1.0

    /// - Parameters:
    ///   - before: a report as JSON.
    ///   - beforeName: of its file, for error messages.
    ///   - after: the report to compare with it.
    ///   - afterName: of its file, for error messages.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(
        before: String, named beforeName: String, after: String, named afterName: String
    ) throws {
        let one = try Self.read(before, beforeName)
        let other = try Self.read(after, afterName)
        var rows = [
            Self.row("messages/s", one, other, ["messages_per_second"], higherIsBetter: true)
        ]
        for (label, key) in [("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99.9", "p99_9")] {
            rows.append(Self.row(label, one, other, ["latency_nanoseconds", key]))
        }
        rows.append(Self.row("max", one, other, ["latency_nanoseconds", "max"]))
        rows.append(
            Self.row(
                "client µs a message", one, other,
                ["client_processor", "microseconds_per_message"],
                isLatency: false))
        self.rows = rows
        failures = [(beforeName, one), (afterName, other)].compactMap { name, report in
            guard let status = report["status"]?.text, status != "ok" else { return nil }
            return "\(name): \(status), \(report["errors"]?["total"].map(Self.text) ?? "0") errors"
        }
        differences = ["configuration", "environment"].flatMap { section -> [String] in
            guard case .object(let fields)? = one[section] else { return [] }
            return fields.compactMap { name, value in
                guard !Self.ignoredFields.contains(name), let after = other[section]?[name],
                    after.bytes != value.bytes
                else { return nil }
                return "\(name) \(Self.text(value)) and \(Self.text(after))"
            }
        }
    }

    private static func text(_ value: JSONValue) -> String {
        value.text ?? String(decoding: value.bytes, as: UTF8.self)
    }

    private static func read(_ text: String, _ name: String) throws(LoadFailure) -> JSONValue {
        guard let value = try? JSONReader.read(Array(text.utf8)),
            value["schema"]?.text == "ringload-report"
        else {
            throw LoadFailure("\(name): not a report of ringload --json")
        }
        guard value["version"]?.number == Double(LoadReport.jsonVersion) else {
            throw LoadFailure(
                "\(name): not version \(LoadReport.jsonVersion) of the report format: make both "
                    + "reports with the same ringload")
        }
        return value
    }

    private static func row(
        _ name: String, _ before: JSONValue, _ after: JSONValue, _ path: [String],
        higherIsBetter: Bool = false, isLatency: Bool? = nil
    ) -> Row {
        let values = [before, after].map { report in
            path.reduce(Optional(report)) { $0?[$1] }?.number ?? 0
        }
        let samples = [before, after].map { Self.samples($0, path.last ?? "") }
        return Row(
            name: name, before: values[0], after: values[1],
            verdict: verdict(values, samples, higherIsBetter: higherIsBetter),
            isLatency: isLatency ?? !higherIsBetter)
    }

    private static func samples(_ report: JSONValue, _ key: String) -> [Double] {
        (report["intervals"]?.elements ?? []).compactMap { interval in
            if case .boolean(true)? = interval["is_warming_up"] { return nil }
            return interval[key]?.number
        }
    }

    private static func verdict(
        _ values: [Double], _ samples: [[Double]], higherIsBetter: Bool
    ) -> Verdict {
        guard samples.allSatisfy({ $0.count >= fewestIntervals }), values[0] > 0 else {
            return .unknown
        }
        let difference = values[1] - values[0]
        let error = samples.reduce(0.0) { $0 + variance($1) / Double($1.count) }.squareRoot()
        let isNoise =
            abs(difference) <= standardErrors * error
            || abs(difference) / values[0] * 100 < leastPercent
        if isNoise { return .noise }
        return (difference > 0) == higherIsBetter ? .better : .worse
    }

    private static func variance(_ samples: [Double]) -> Double {
        let mean = samples.reduce(0, +) / Double(samples.count)
        let squares = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return squares / Double(samples.count - 1)
    }

    /// The comparison as a text table.
    public var text: String {
        var warnings = failures.map { "warning: \($0)" }
        if !differences.isEmpty {
            warnings.append("warning: the runs differ: \(differences.joined(separator: "; "))")
        }
        if !warnings.isEmpty { warnings.append("") }
        let header = Self.line("", "before", "after", "change", "")
        return
            (warnings + [header]
            + rows.map { row in
                Self.line(
                    row.name, row.text(row.before), row.text(row.after),
                    (row.changePercent >= 0 ? "+" : "")
                        + Format.decimal(row.changePercent, places: 1) + " %",
                    row.verdict.rawValue)
            }).joined(separator: "\n")
    }

    private static func line(
        _ name: String, _ before: String, _ after: String, _ change: String, _ verdict: String
    ) -> String {
        let start =
            name + String(repeating: " ", count: max(1, 20 - name.count))
            + Format.padded(before, to: 12) + Format.padded(after, to: 12)
            + Format.padded(change, to: 12)
        return verdict.isEmpty ? start : start + "   " + verdict
    }
}

extension Comparison.Row {
    fileprivate func text(_ value: Double) -> String {
        // A report may have numbers that no integer holds.
        let value = min(max(0, value), 1e18)
        if isLatency { return Format.latency(UInt64(value)) }
        return value >= 1000
            ? Format.grouped(Int(value)) : Format.decimal(value, places: 2)
    }
}
