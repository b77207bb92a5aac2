import RingDispatch
import RingNetwork
import SampleSupport

/// The counters of all stream clients. Safe to use from any thread.
final class Ledger: Sendable {
    /// One for each event loop, so that the loops do not wait for each other's cache lines.
    private let tallies = DispatchRuntime.snapshot().loops.map { _ in Tally() }
    private let state = Locked(State())

    private struct State {
        var connections = 0
        var closed = 0
        var ends = Ends()
    }

    /// Counts a new connection, before it is activated.
    /// - Returns: what counts its traffic, together with that of others.
    func opened(_ connection: Connection) -> Tally {
        state.withLock { $0.connections += 1 }
        return tallies[(connection.placement.loopNumber ?? 0) % tallies.count]
    }

    func closed(_ reason: CloseReason) {
        state.withLock { state in
            state.closed += 1
            state.ends.count(reason)
        }
    }

    var totals: Totals {
        state.withLock { state in
            // Under the lock: all traffic of the connections that are closed is counted.
            Totals(
                connections: state.connections, open: state.connections - state.closed,
                traffic: tallies.reduce(into: Traffic()) { $0 += $1.traffic }, ends: state.ends)
        }
    }
}
