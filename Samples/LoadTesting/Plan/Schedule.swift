/// When messages are sent.
public enum Schedule: Sendable, Hashable {
    /// Each connection sends its next message after an answer, so a slow server receives fewer.
    case closed
    /// A fixed number of messages per second over all connections, at equal intervals, however slow
    /// the server is.
    case constant(perSecond: Double)
    /// The same average rate at random intervals, like requests of independent users.
    case poisson(perSecond: Double)
    /// A rate that grows or falls evenly over the measured time, at regular or random intervals.
    /// The warm-up has the first rate.
    case ramp(from: Double, to: Double, isPoisson: Bool = false)

    /// The rates at the start and the end of the measured time; nil for a closed loop.
    public var rates: (first: Double, last: Double)? {
        switch self {
        case .closed: nil
        case .constant(let rate), .poisson(let rate): (rate, rate)
        case .ramp(let first, let last, _): (first, last)
        }
    }

    /// The mean rate of the measured time; nil for a closed loop.
    public var perSecond: Double? { rates.map { ($0.first + $0.last) / 2 } }

    /// Whether the intervals are random, as of independent clients.
    public var isPoisson: Bool {
        switch self {
        case .poisson: true
        case .ramp(_, _, let isPoisson): isPoisson
        case .closed, .constant: false
        }
    }

    /// `50,000 messages/s`, `1,000 to 50,000 messages/s`; nil for a closed loop.
    var text: String? {
        guard let rates else { return nil }
        let numbers = rates.first == rates.last ? [rates.first] : [rates.first, rates.last]
        return numbers.map { Format.grouped(Int($0)) }.joined(separator: " to ") + " messages/s"
    }
}
