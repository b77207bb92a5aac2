import RingDispatch
import RingNetwork
import SampleSupport

/// The counters of all stream clients. Safe to use from any thread.
final class Ledger: Sendable {
    /// One for each event loop, so that the loops do not wait for each other's cache lines.
    private let tallies = DispatchRuntime.snapshot().loops.map { _ in Tally() }
    /// Without the traffic.
    private let counts = Locked(Totals())

    /// Counts a new connection, before it is activated.
    /// - Returns: what counts its traffic, together with that of others.
    func opened(_ connection: Connection) -> Tally {
        counts.withLock { counts in
            counts.connections += 1
            counts.open += 1
        }
        return tallies[(connection.placement.loopNumber ?? 0) % tallies.count]
    }

    func closed(_ reason: CloseReason) {
        counts.withLock { counts in
            counts.open -= 1
            counts.ends.count(reason)
        }
    }

    var totals: Totals {
        counts.withLock { counts in
            // Under the lock: all traffic of the connections that are closed is counted.
            var totals = counts
            totals.traffic = tallies.reduce(into: Traffic()) { $0 += $1.traffic }
            return totals
        }
    }
}
