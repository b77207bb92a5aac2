public import Histogram

/// Open-loop statistics besides the latencies.
public struct OpenLoopStatistics: Sendable {
    /// From the send of a message to its answer: the latency that a closed loop would report.
    public internal(set) var service = LatencyHistogram.forLatencies()
    /// The client's own delay: how late it sent messages although a connection was free.
    public internal(set) var slip = LatencyHistogram.forLatencies()
    /// Messages that had to wait for a free connection.
    public internal(set) var waited = 0
    /// Messages that were due in the measured time and never sent.
    public internal(set) var unsent = 0
    /// Whether even messages of the warm-up were never sent.
    public internal(set) var hasWarmupBacklog = false

    mutating func add(_ other: OpenLoopStatistics) {
        service.add(other.service)
        slip.add(other.slip)
        waited += other.waited
        unsent += other.unsent
        hasWarmupBacklog = hasWarmupBacklog || other.hasWarmupBacklog
    }
}
