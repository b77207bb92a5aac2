/// Error counts by kind, and a description of the first error. A failed connection counts once.
public struct ErrorCounts: Sendable {
    /// The raw values are the keys of the JSON report.
    public enum Kind: String, CaseIterable, Sendable {
        /// Bytes that differ from the expected ones.
        case mismatch = "mismatches"
        /// An answer before its turn.
        case reorder = "reorders"
        /// An incomplete answer.
        case truncation = "truncations"
        /// An answer received twice.
        case duplicate = "duplicates"
        /// An HTTP status of 400 or above, or an error reply.
        case status
        /// The server ended a connection that had not ended.
        case closedByServer = "closed_by_server"
        /// No answer within the stall time-out.
        case stalled
        /// ECONNRESET or EPIPE on an open connection.
        case reset = "resets"
        /// ECONNREFUSED: nobody listens there.
        case refused
        /// Another error while connecting.
        case connect
        /// Another error while receiving.
        case receive
        /// Another error while sending.
        case send
        /// Connections that did not close at the end of the run.
        case notClosed = "not_closed"

        /// The name in the text report.
        public var words: String {
            switch self {
            case .mismatch: "wrong bytes"
            case .reorder: "out of order"
            case .truncation: "truncated"
            case .duplicate: "duplicated"
            case .status: "error responses"
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
    /// The first error, in one line; nil if there was none.
    public private(set) var first: String?

    /// The number of all errors.
    public var total: Int { counts.values.reduce(0, +) }

    /// The number of errors of a kind.
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
