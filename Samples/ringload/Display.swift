import Glibc
import LoadTesting
import SampleSupport

/// Shows progress on standard error, so that the report can be piped: a terminal gets one updated
/// line, anything else one line per second.
final class Display: @unchecked Sendable {
    // Safety: used on the run's queue, and by the main thread after the run.
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var rates: [Double] = []
    private var hasLine = false

    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let mostBars = 24

    func show(_ interval: LoadInterval) {
        guard isTerminal else { return writeErrorLine(Self.line(interval)) }
        rates.append(interval.messagesPerSecond)
        if rates.count > Self.mostBars { rates.removeFirst() }
        let text = Self.line(interval) + "  "
        let line = text.prefix(columns) + sparkline.suffix(max(0, columns - text.count))
        // Return to the start of the line, write the text, erase the rest of the line.
        write("\r\(line)\u{1B}[K")
        hasLine = true
    }

    /// `  3 s    241,322 msg/s   p50 255 µs   p99 612 µs   errors 0`.
    private static func line(_ interval: LoadInterval) -> String {
        let columns = [
            Format.padded("\(Format.decimal(interval.seconds, places: 0)) s", to: 6),
            Format.padded(Format.grouped(Int(interval.messagesPerSecond)), to: 11) + " msg/s",
            "p50 " + Format.padded(Format.latency(interval.p50Nanoseconds), to: 8),
            "p99 " + Format.padded(Format.latency(interval.p99Nanoseconds), to: 8),
            "errors \(interval.errors)",
        ]
        return columns.joined(separator: "   ") + (interval.isWarmingUp ? "   (warming up)" : "")
    }

    /// Keeps the current line and continues below it.
    func end() {
        if hasLine { write("\n") }
        hasLine = false
    }

    /// Those of the terminal, except the last, after which it would begin a new line. ioctl_tty(2).
    private var columns: Int {
        var size = winsize()
        _ = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return size.ws_col > 0 ? Int(size.ws_col) - 1 : 79
    }

    private var sparkline: String {
        let highest = max(rates.max() ?? 1, 1)
        return String(
            rates.map { Self.bars[min(Self.bars.count - 1, Int($0 / highest * 7.99))] })
    }

    private func write(_ text: String) {
        // Errors are ignored: a closed terminal should not end the run.
        _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
    }
}
