import RingNetwork
import Synchronization

/// The tallies of all clients, those of closed ones summed up. Safe to use from any thread.
final class Ledger: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// Each tally knows its place.
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

    /// Everything until now.
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

/// What the server's stream connections came to.
struct Totals: Sendable {
    /// Accepted since the start.
    var connections = 0
    var open = 0
    var traffic = Traffic()
    var ends = Ends()
}

/// Why connections ended.
struct Ends: Sendable, Equatable {
    /// By the client or by the server, with nothing lost.
    var orderly = 0
    /// By a time-out or a rate that was not kept.
    var late = 0
    /// By a reset, or an error.
    var failed = 0

    mutating func count(_ reason: CloseReason) {
        switch reason {
        case .closed, .ended: orderly += 1
        case .timedOut: late += 1
        default: failed += 1
        }
    }
}
