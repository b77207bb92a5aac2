internal import LinuxPlatform

/// How long to spin before a sleep: twice as long as recent successful spins, otherwise almost
/// nothing.
///
/// A sleep and its wake-up cost 5 to 20 µs. A spin of at most that length never costs more than
/// twice the best choice, and a thread with long waits learns not to spin at all.
struct SpinBudget {
    private(set) var ticks: UInt64 = Tuning.firstSpinTicks
    /// Length of the last spin if it failed, otherwise 0.
    private var vain: UInt64 = 0
    private var isPointless = false

    /// Whether a spin can help while waiting for another thread of the process: not with a single
    /// CPU, where that thread cannot run meanwhile.
    static let isUsefulForThreads = CPUCount.usable > 1

    /// Whether a spin can help while waiting for events from outside the process.
    static let isUsefulForEvents = CPUCount.othersMayRun

    /// Spins until `condition` holds or the budget is used up. Returns whether `condition` held.
    @inline(__always)
    mutating func spin(
        isUseful: Bool = SpinBudget.isUsefulForThreads, until condition: () -> Bool
    ) -> Bool {
        if condition() { return true }
        guard isUseful && !isPointless else {
            isPointless = false
            return false
        }
        let start = Ticks.now()
        while true {
            for _ in 0..<4 { spinPause() }
            let isOver = Ticks.now() &- start > ticks
            if condition() {
                succeeded(ticks: Ticks.now() &- start)
                return true
            }
            if isOver {
                failed()
                return false
            }
        }
    }

    mutating func succeeded(ticks spun: UInt64) {
        ticks = min(max(ticks, spun &* 2), Tuning.longestSpinTicks)
        vain = 0
    }

    mutating func failed() {
        vain = ticks
        ticks = max(ticks / 2, Tuning.shortestSpinTicks)
    }

    /// The thread has woken the one that it will wait for. Without a spin that thread can run on
    /// this CPU, sooner than an idle CPU wakes up.
    mutating func noteWoken() { isPointless = true }

    /// A sleep after the last spin has ended. If both were short, spin that long next time.
    mutating func slept(ticks slept: UInt64) {
        let wait = vain &+ slept
        if wait < Tuning.longestSpinTicks {
            ticks = min(wait + Tuning.firstSpinTicks, Tuning.longestSpinTicks)
        }
    }
}
