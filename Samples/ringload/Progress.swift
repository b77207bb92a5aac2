import LoadTesting

/// The progress line: `  3 s    241,322 msg/s   p50 255 µs   p99 612 µs   errors 0`.
enum Progress {
    static func line(_ interval: LoadInterval) -> String {
        let columns = [
            Format.padded("\(Format.decimal(interval.seconds, places: 0)) s", to: 6),
            Format.padded(Format.grouped(Int(interval.messagesPerSecond)), to: 11) + " msg/s",
            "p50 " + Format.padded(Format.latency(interval.p50Nanoseconds), to: 8),
            "p99 " + Format.padded(Format.latency(interval.p99Nanoseconds), to: 8),
            "errors \(interval.errors)",
        ]
        return columns.joined(separator: "   ") + (interval.isWarmingUp ? "   (warming up)" : "")
    }
}
