internal import LinuxPlatform

/// The time for which one queue may be drained before others get their turn.
struct DrainQuantum {
    private(set) var items = 0
    /// The time of the first check, in ticks.
    private var start: UInt64 = 0
    let drainStart: BlockingHistory.Start?

    /// - Parameter start: when the drain began; nil unless its worker has no loop.
    init(start: BlockingHistory.Start? = nil) { drainStart = start }

    /// Whether the queue should move to the back of its target's list.
    @inline(__always)
    mutating func isUsedUp() -> Bool {
        items &+= 1
        guard items % Tuning.itemsBetweenChecks == 0 else { return false }
        if start == 0 { start = Ticks.now() }
        return Ticks.now() &- start > Tuning.drainTicks
    }
}
