import Glibc
import LoadTesting
import SampleSupport

/// Shows progress on standard error, so that the report can be piped: one line that is updated in a
/// terminal, a line for each second elsewhere.
final class Display: @unchecked Sendable {
    // Safety: used on the run's queue, and when the run is over.
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var rates: [Double] = []
    private var hasLine = false

    private static let bars = Array("▁▂▃▄▅▆▇█")
    private static let mostBars = 24

    func show(_ interval: LoadInterval) {
        guard isTerminal else { return writeErrorLine(Progress.line(interval)) }
        rates.append(interval.messagesPerSecond)
        if rates.count > Self.mostBars { rates.removeFirst() }
        // Back to the start of the line, the new text, and erase the rest of the line.
        write("\r\(Progress.line(interval))  \(sparkline)\u{1B}[K")
        hasLine = true
    }

    /// Leaves the line as it is, and goes on below it.
    func end() {
        if hasLine { write("\n") }
        hasLine = false
    }

    /// The rates of the last seconds as bars.
    private var sparkline: String {
        let highest = max(rates.max() ?? 1, 1)
        return String(
            rates.map { Self.bars[min(Self.bars.count - 1, Int($0 / highest * 7.99))] })
    }

    private func write(_ text: String) {
        // A terminal that has gone is no reason to end the run.
        _ = Glibc.write(STDERR_FILENO, text, text.utf8.count)
    }
}
