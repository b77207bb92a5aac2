import RingNetwork
import SampleSupport

/// The totals of a server after its shutdown, for the summary. Safe to use from any thread.
final class Outcome: Sendable {
    private let state = Locked(State())

    private struct State {
        var totals = Totals()
        var datagrams = Traffic()
        var refused = 0
        var cut: [ShutdownReport.AbortedConnection] = []
        var unfinished = 0
    }

    func add(_ report: ShutdownReport, _ counters: ListenerCounters) {
        state.withLock { state in
            state.refused += counters.refusedPerPeer + counters.turnedAway
            state.cut += report.aborted
            state.unfinished += report.unfinished
        }
    }

    func finish(_ totals: Totals, _ datagrams: Traffic) {
        state.withLock { state in
            state.totals = totals
            state.datagrams = datagrams
        }
    }

    /// One line: the traffic, then the failures.
    var summary: String {
        state.withLock { state in
            var parts = [
                "served \(state.totals.connections) connections, "
                    + "\(state.totals.traffic.messages) messages, "
                    + "\(state.totals.traffic.bytes) bytes"
            ]
            if state.datagrams.messages > 0 {
                parts.append(
                    "\(state.datagrams.messages) datagrams, \(state.datagrams.bytes) bytes")
            }
            if state.totals.ends.late > 0 { parts.append("\(state.totals.ends.late) timed out") }
            if state.refused > 0 { parts.append("\(state.refused) connections refused") }
            if !state.cut.isEmpty {
                let bytes = state.cut.reduce(0) { $0 + $1.unsentBytes + $1.unconfirmedBytes }
                parts.append("\(state.cut.count) cut off with \(bytes) bytes unsent")
            }
            if state.unfinished > 0 { parts.append("\(state.unfinished) did not end") }
            return parts.joined(separator: ", ")
        }
    }
}
