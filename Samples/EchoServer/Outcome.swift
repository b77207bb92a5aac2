import RingNetwork

/// What the shutdown of a server's listeners has found, for the summary.
struct Outcome: Sendable {
    var cut: [ShutdownReport.AbortedConnection] = []
    var unfinished = 0

    mutating func add(_ report: ShutdownReport) {
        cut += report.aborted
        unfinished += report.unfinished
    }

    /// One line: the traffic, then the failures.
    func summary(_ totals: Ledger.Totals) -> String {
        var parts = [
            "served \(totals.connections) connections, \(totals.traffic.messages) messages, "
                + "\(totals.traffic.bytes) bytes"
        ]
        let datagrams = totals.datagrams
        if datagrams.messages > 0 {
            parts.append("\(datagrams.messages) datagrams, \(datagrams.bytes) bytes")
        }
        if totals.ends.late > 0 { parts.append("\(totals.ends.late) timed out") }
        if totals.refused > 0 { parts.append("\(totals.refused) connections refused") }
        if !cut.isEmpty {
            let bytes = cut.reduce(0) { $0 + $1.unsentBytes + $1.unconfirmedBytes }
            parts.append("\(cut.count) cut off with \(bytes) bytes unsent")
        }
        if unfinished > 0 { parts.append("\(unfinished) did not end") }
        return parts.joined(separator: ", ")
    }
}
