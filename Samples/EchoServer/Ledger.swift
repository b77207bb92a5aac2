import RingNetwork
import SampleSupport

/// The counters of all clients: a `Tally` per open connection, a sum for closed ones. Safe to use
/// from any thread.
final class Ledger: Sendable {
    private let state = Locked(State())

    private struct State {
        /// Indexed by `Tally.place`; nil where a connection has closed.
        var open: [Tally?] = []
        var free: [Int] = []
        var closed = Traffic()
        var ends = Ends()
        var connections = 0
    }

    func opened(_ tally: Tally) {
        state.withLock { state in
            state.connections += 1
            if let place = state.free.popLast() {
                tally.place = place
                state.open[place] = tally
            } else {
                tally.place = state.open.count
                state.open.append(tally)
            }
        }
    }

    func closed(_ tally: Tally, _ reason: CloseReason) {
        state.withLock { state in
            state.open[tally.place] = nil
            state.free.append(tally.place)
            state.closed += tally.traffic
            state.ends.count(reason)
        }
    }

    /// The sums over open and closed connections.
    var totals: Totals {
        state.withLock { state in
            var traffic = state.closed
            for tally in state.open { if let tally { traffic += tally.traffic } }
            return Totals(
                connections: state.connections, open: state.open.count - state.free.count,
                traffic: traffic, ends: state.ends)
        }
    }
}
