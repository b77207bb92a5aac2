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
        guard isTerminal else { return writeErrorLine(Progress.line(interval)) }
        rates.append(interval.messagesPerSecond)
        if rates.count > Self.mostBars { rates.removeFirst() }
        // Return to the start of the line, write the text, erase the rest of the line.
        write("\r\(Progress.line(interval))  \(sparkline)\u{1B}[K")
        hasLine = true
    }

    /// Keeps the current line and continues below it.
    func end() {
        if hasLine { write("\n") }
        hasLine = false
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
