import Histogram

/// The line of each second.
struct Progress: Sendable {
    private var startNanoseconds: UInt64 = 0
    private var lastNanoseconds: UInt64 = 0

    mutating func start() {
        startNanoseconds = MonotonicClock.nanoseconds()
        lastNanoseconds = startNanoseconds
    }

    /// `  3 s    241,322 msg/s   p50 255 µs   p99 612 µs   errors 0`.
    mutating func line(_ ticks: [ShardTick], isWarmingUp: Bool) -> String {
        let now = MonotonicClock.nanoseconds()
        let seconds = Double(now - lastNanoseconds) / 1e9
        lastNanoseconds = now
        var latencies = LatencyHistogram.forLatencies()
        for tick in ticks { latencies.add(tick.latencies) }
        let rate = Int(Double(latencies.totalCount) / max(seconds, 1e-9))
        let elapsed = Format.decimal(Double(now - startNanoseconds) / 1e9, places: 0)
        let columns = [
            Format.padded("\(elapsed) s", to: 6),
            Format.padded(Format.grouped(rate), to: 11) + " msg/s",
            "p50 " + Format.padded(Format.latency(latencies.valueAtPercentile(50)), to: 8),
            "p99 " + Format.padded(Format.latency(latencies.valueAtPercentile(99)), to: 8),
            "errors \(ticks.reduce(0) { $0 + $1.errors })",
        ]
        return columns.joined(separator: "   ") + (isWarmingUp ? "   (warming up)" : "")
    }
}
