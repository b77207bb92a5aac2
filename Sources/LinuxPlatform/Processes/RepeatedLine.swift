internal import Synchronization

/// A log line that may come again and again: written at most once a second.
package final class RepeatedLine: Sendable {
    /// The end of the second in which nothing more is written. Relaxed, like `leftOut`: the
    /// thread that exchanges it writes the line.
    private let silentUntil = Atomic<UInt64>(0)
    /// Lines left out since the last one.
    private let leftOut = Atomic<Int>(0)

    package init() {}

    package func log(_ message: @autoclosure () -> String) {
        if let line = line(message, at: MonotonicClock.nanoseconds()) { Diagnostics.log(line) }
    }

    /// The line to write at this time; nil if it is left out.
    func line(_ message: () -> String, at now: UInt64) -> String? {
        let end = silentUntil.load(ordering: .relaxed)
        let isMine =
            now >= end
            && silentUntil.compareExchange(
                expected: end, desired: now + 1_000_000_000, ordering: .relaxed
            ).exchanged
        guard isMine else {
            leftOut.add(1, ordering: .relaxed)
            return nil
        }
        let count = leftOut.exchange(0, ordering: .relaxed)
        return message() + (count > 0 ? " (\(count) more such lines were left out)" : "")
    }
}
