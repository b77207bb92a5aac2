import RingNetwork
import SampleSupport

/// The counters of all clients: a `Tally` per open connection, a sum for closed ones. Safe to use
/// from any thread.
final class Ledger: Sendable {
    private let state = Locked(State())

    private struct State {
        var open: [ObjectIdentifier: Tally] = [:]
        var closed = Traffic()
        var ends = Ends()
        var connections = 0
    }

    func opened(_ tally: Tally) {
        state.withLock { state in
            state.connections += 1
            state.open[ObjectIdentifier(tally)] = tally
        }
    }

    func closed(_ tally: Tally, _ reason: CloseReason) {
        state.withLock { state in
            state.open[ObjectIdentifier(tally)] = nil
            state.closed += tally.traffic
            state.ends.count(reason)
        }
    }

    /// The sums over open and closed connections.
    var totals: Totals {
        state.withLock { state in
            var traffic = state.closed
            for tally in state.open.values { traffic += tally.traffic }
            return Totals(
                connections: state.connections, open: state.open.count, traffic: traffic,
                ends: state.ends)
        }
    }
}
