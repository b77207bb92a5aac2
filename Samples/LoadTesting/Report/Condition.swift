internal import Histogram

/// A comparison of a figure with a limit, such as `p99>5ms`, `rate<10k`, `errors>0`.
public struct Condition: Sendable, CustomStringConvertible {
    enum Quantity: Sendable {
        case percentile(Double)
        case max
        case mean
        case rate
        case errors
        case errorPercent
        case serverProcessor
    }

    /// The text that the condition was read from.
    public let description: String
    let quantity: Quantity
    let isAbove: Bool
    /// `>=` or `<=`: the limit itself meets the condition.
    let isInclusive: Bool
    let limit: Double

    private static let examples =
        "write a figure, <, <=, > or >=, and a limit: p99>5ms, max>1s, rate<10k, errors>=10, "
        + "error%>0.1, cpu>20us"

    /// Reads one of the forms above. Latencies have the unit ns, us, µs, ms or s.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ text: String) throws {
        guard let sign = text.firstIndex(where: { $0 == "<" || $0 == ">" }) else {
            throw LoadFailure.usage("'\(text)' is not a condition: \(Self.examples)")
        }
        let name = text[..<sign].filter { $0 != " " }.lowercased()
        var value = text[text.index(after: sign)...].filter { $0 != " " }
        isInclusive = value.hasPrefix("=")
        if isInclusive { value.removeFirst() }
        guard let quantity = Self.quantity(name) else {
            throw LoadFailure.usage("'\(text)': '\(name)' is not a figure: \(Self.examples)")
        }
        guard let limit = Self.limit(value, of: quantity) else {
            throw LoadFailure.usage(
                "'\(text)': '\(value)' is not a limit: a time needs a unit (ns, us, ms, s): "
                    + Self.examples)
        }
        description = text
        isAbove = text[sign] == ">"
        self.quantity = quantity
        self.limit = limit
    }

    private static func quantity(_ name: String) -> Quantity? {
        switch name {
        case "max": return .max
        case "mean": return .mean
        case "rate": return .rate
        case "errors": return .errors
        case "error%": return .errorPercent
        case "cpu": return .serverProcessor
        default:
            guard name.hasPrefix("p"), let percent = Double(name.dropFirst()), 0...100 ~= percent
            else { return nil }
            return .percentile(percent)
        }
    }

    private static func limit(_ text: String, of quantity: Quantity) -> Double? {
        let units: [(suffix: String, factor: Double)]
        switch quantity {
        case .percentile, .max, .mean, .serverProcessor:
            units = [("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
        case .rate: units = [("k", 1e3), ("m", 1e6), ("", 1)]
        case .errors: units = [("", 1)]
        case .errorPercent: units = [("%", 1), ("", 1)]
        }
        let lowered = text.lowercased()
        guard let unit = units.first(where: { lowered.hasSuffix($0.suffix) }),
            let number = Double(lowered.dropLast(unit.suffix.count)), number.isFinite, number >= 0
        else { return nil }
        return number * unit.factor
    }

    /// Whether it is about the server's CPU time, which a plan with `observedProcess` measures.
    public var isAboutServerProcessor: Bool {
        if case .serverProcessor = quantity { true } else { false }
    }

    /// Whether the report meets the condition. False if the figure was not measured.
    public func holds(for report: LoadReport) -> Bool {
        guard let value = value(of: report) else { return false }
        return (isAbove ? value > limit : value < limit) || isInclusive && value == limit
    }

    /// The condition and the actual value, as text, if the report meets the condition or the figure
    /// was not measured; otherwise nil.
    public func finding(_ report: LoadReport) -> String? {
        guard let value = value(of: report) else {
            return "\(description): the server's process has ended"
        }
        guard holds(for: report) else { return nil }
        let text =
            switch quantity {
            case .percentile, .max, .mean, .serverProcessor: Format.latency(UInt64(value))
            case .rate: "\(Format.grouped(Int(value))) messages/s"
            case .errors: "\(Int(value))"
            case .errorPercent: "\(Format.decimal(value, places: 3)) %"
            }
        return "\(description): it is \(text)"
    }

    private func value(of report: LoadReport) -> Double? {
        let latencies = report.measurement.latencies
        switch quantity {
        case .percentile(let percent): return Double(latencies.valueAtPercentile(percent))
        case .max: return Double(latencies.max)
        case .mean: return latencies.meanOrZero
        case .rate: return report.measurement.messagesPerSecond
        case .errors: return Double(report.errors.total)
        case .errorPercent:
            let all = report.errors.total + report.measurement.messages
            return all > 0 ? 100 * Double(report.errors.total) / Double(all) : 0
        case .serverProcessor: return report.serverMicrosecondsPerMessage.map { $0 * 1e3 }
        }
    }
}
