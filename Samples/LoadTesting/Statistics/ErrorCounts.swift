/// The errors by kind, and the first one in words. A connection fails once, for one reason.
public struct ErrorCounts: Sendable {
    /// The raw values are the keys of the JSON report.
    public enum Kind: String, CaseIterable, Sendable {
        /// Bytes that differ from the expected ones.
        case mismatch = "mismatches"
        /// An answer before its turn.
        case reorder = "reorders"
        /// An answer that lacks its end.
        case truncation = "truncations"
        /// An answer received twice.
        case duplicate = "duplicates"
        /// An HTTP status from 400 on, or an error reply.
        case status
        case closedByServer = "closed_by_server"
        /// No answer in time.
        case stalled
        case reset = "resets"
        /// A connection that was not made.
        case refused
        case connect
        case receive
        case send
        case notClosed = "not_closed"

        /// In the report for people.
        public var words: String {
            switch self {
            case .mismatch: "wrong bytes"
            case .reorder: "out of order"
            case .truncation: "cut off"
            case .duplicate: "doubled"
            case .status: "refusing answers"
            case .closedByServer: "closed by the server"
            case .stalled: "no answer"
            case .reset: "reset"
            case .refused: "connection refused"
            case .connect: "connect errors"
            case .receive: "receive errors"
            case .send: "send errors"
            case .notClosed: "not closed"
            }
        }
    }

    private var counts: [Kind: Int] = [:]
    public private(set) var first: String?

    public var total: Int { counts.values.reduce(0, +) }

    public func count(_ kind: Kind) -> Int { counts[kind, default: 0] }

    mutating func add(_ kind: Kind, _ detail: String) {
        counts[kind, default: 0] += 1
        if first == nil { first = detail }
    }

    mutating func add(_ other: ErrorCounts) {
        counts.merge(other.counts, uniquingKeysWith: +)
        first = first ?? other.first
    }

    /// `0`, or `3 (wrong bytes 1, no answer 2)`.
    public var text: String {
        guard total > 0 else { return "0" }
        let kinds = Kind.allCases.filter { count($0) > 0 }
        return "\(total) (" + kinds.map { "\($0.words) \(count($0))" }.joined(separator: ", ") + ")"
    }
}
