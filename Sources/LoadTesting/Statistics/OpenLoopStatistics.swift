public import Histogram

/// What an open loop measures beside the latencies.
public struct OpenLoopStatistics: Sendable {
    /// From the time a message was sent to its answer: what a server looks like to those who wait
    /// for it before they ask again.
    public internal(set) var service = LatencyHistogram.forLatencies()
    /// How late messages were sent for which a connection was free: the client's own lateness.
    public internal(set) var slip = LatencyHistogram.forLatencies()
    /// Messages that had to wait for a free connection.
    public internal(set) var waited = 0
    /// Messages that were due and never sent.
    public internal(set) var unsent = 0

    mutating func add(_ other: OpenLoopStatistics) {
        service.add(other.service)
        slip.add(other.slip)
        waited += other.waited
        unsent += other.unsent
    }
}
