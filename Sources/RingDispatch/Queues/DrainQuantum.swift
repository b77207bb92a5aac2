internal import LinuxPlatform

/// How long one queue may be drained before others get their turn.
struct DrainQuantum {
    private var items = 0
    /// When the first look was.
    private var start: UInt64 = 0

    static let itemsBetweenChecks = 8
    /// Items in one drain that make it a burst.
    static let burst = 32
    /// A lingering drain looks this often, with pauses in between: about a microsecond in all.
    static let lingerPolls = 4
    static let lingerPauses = 16

    /// Whether many items came lately.
    var isBurst: Bool { items >= DrainQuantum.burst }
    static let ticks = 200 * Ticks.perMicrosecond

    /// Whether the queue should go to the back of its target's list.
    @inline(__always)
    mutating func isUsedUp() -> Bool {
        items &+= 1
        guard items % DrainQuantum.itemsBetweenChecks == 0 else { return false }
        if start == 0 { start = Ticks.now() }
        return Ticks.now() &- start > DrainQuantum.ticks
    }
}
