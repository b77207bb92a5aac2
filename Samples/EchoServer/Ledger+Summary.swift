import RingNetwork

extension Ledger {
    /// One line: the traffic, then the failures.
    /// - Parameter reports: of the listeners' shutdowns.
    func summary(_ reports: [ShutdownReport]) -> String {
        let totals = totals
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
        let cut = reports.flatMap(\.aborted)
        if !cut.isEmpty {
            let bytes = cut.reduce(0) { $0 + $1.unsentBytes + $1.unconfirmedBytes }
            parts.append("\(cut.count) cut off with \(bytes) bytes unsent")
        }
        let unfinished = reports.reduce(0) { $0 + $1.unfinished }
        if unfinished > 0 { parts.append("\(unfinished) did not end") }
        return parts.joined(separator: ", ")
    }
}
