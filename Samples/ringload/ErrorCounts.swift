/// What went wrong, by kind, with the first case in words. A connection fails once, for one reason.
struct ErrorCounts: Sendable {
    enum Kind: CaseIterable, Sendable {
        case mismatch, closedByServer, stalled, receive, send, notClosed

        var words: String {
            switch self {
            case .mismatch: "wrong bytes"
            case .closedByServer: "closed by the server"
            case .stalled: "no answer"
            case .receive: "receive errors"
            case .send: "send errors"
            case .notClosed: "not closed"
            }
        }

        var jsonKey: String {
            switch self {
            case .mismatch: "mismatches"
            case .closedByServer: "closed_by_server"
            case .stalled: "stalled"
            case .receive: "receive"
            case .send: "send"
            case .notClosed: "not_closed"
            }
        }
    }

    private(set) var counts: [Kind: Int] = [:]
    private(set) var first: String?

    var total: Int { counts.values.reduce(0, +) }

    func count(_ kind: Kind) -> Int { counts[kind, default: 0] }

    mutating func add(_ kind: Kind, _ detail: String) {
        counts[kind, default: 0] += 1
        if first == nil { first = detail }
    }

    mutating func add(_ other: ErrorCounts) {
        counts.merge(other.counts, uniquingKeysWith: +)
        first = first ?? other.first
    }

    /// `0`, or `3 (wrong bytes 1, no answer 2)`.
    var text: String {
        guard total > 0 else { return "0" }
        let kinds = Kind.allCases.filter { count($0) > 0 }
        return "\(total) (" + kinds.map { "\($0.words) \(count($0))" }.joined(separator: ", ") + ")"
    }
}
