import RingDispatch
import RingNetwork
import SampleSupport

/// The counters of all clients. Safe to use from any thread, but not on a queue of the listeners.
struct Ledger: Sendable {
    let listeners: [Listener]
    let udp: DatagramSocket?
    /// What the listeners do not count.
    let ends = Locked(Ends())

    struct Totals: Sendable {
        /// Connections accepted since the start.
        var connections = 0
        var open = 0
        var refused = 0
        var traffic = Traffic()
        var datagrams = Traffic()
        var ends: Ends
    }

    var totals: Totals {
        var totals = Totals(ends: ends.withLock { $0 })
        for listener in listeners {
            // On the queue, so that no connection is counted as an open and as a closed one.
            let (counters, open) = listener.queue.sync {
                (listener.counters, listener.connections.map(\.statistics))
            }
            totals.connections += counters.accepted
            totals.open += counters.accepted - counters.closed
            totals.refused += counters.refusedPerPeer + counters.turnedAway
            totals.traffic.add(counters.receives, counters.bytesReceived)
            for one in open { totals.traffic.add(one.receives, one.bytesReceived) }
        }
        if let udp {
            let counters = udp.queue.sync { udp.counters }
            totals.datagrams.add(counters.datagramsReceived, counters.bytesReceived)
        }
        return totals
    }
}
