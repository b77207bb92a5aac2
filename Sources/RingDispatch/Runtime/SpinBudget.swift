internal import LinuxPlatform

/// How long to spin before a sleep: twice as long as it paid off lately, else next to nothing.
///
/// A sleep and its wake-up cost 5 to 20 µs and a spin its own time, so that a spin of up to that
/// length never costs more than twice the best choice; and a thread whose waits are long learns
/// not to spin at all.
///
/// How long a sleep was says little about when the news came, for waking up may take longer than
/// the wait would have: after a number of sleeps that may have been such, one spin of full length
/// is a probe. Each that fails makes the next one rarer.
struct SpinBudget {
    private(set) var ticks: UInt64 = SpinBudget.start
    /// How long the last spin was in vain; 0: it was not.
    private var vain: UInt64 = 0
    private var isPointless = false
    private var isProbing = false
    private var sleepsBetweenProbes = SpinBudget.fewestSleeps
    private var sleepsToProbe = SpinBudget.fewestSleeps

    static let start = 10 * Ticks.perMicrosecond
    static let maximum = 40 * Ticks.perMicrosecond
    static let minimum = Ticks.perMicrosecond / 4
    /// A sleep of at most this may have been one for news that came within `maximum`.
    static let longestWakeUp = 200 * Ticks.perMicrosecond
    static let fewestSleeps = 8
    static let mostSleeps = 1024

    /// Whether spinning can help with what threads of this process do: with one CPU for all of them
    /// it cannot happen meanwhile.
    static let isUsefulForThreads = CPUCount.usable > 1

    /// Whether spinning can help with what comes from outside, which other CPUs work on, too.
    static let isUsefulForEvents = CPUCount.othersMayRun

    /// Spins until `condition` holds or the budget is used up; whether it held.
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
        ticks = min(max(ticks, spun &* 2), SpinBudget.maximum)
        vain = 0
        isProbing = false
        sleepsBetweenProbes = SpinBudget.fewestSleeps
        sleepsToProbe = SpinBudget.fewestSleeps
    }

    mutating func failed() {
        vain = ticks
        if isProbing {
            isProbing = false
            ticks = SpinBudget.minimum
            sleepsBetweenProbes = min(sleepsBetweenProbes * 2, SpinBudget.mostSleeps)
            sleepsToProbe = sleepsBetweenProbes
        } else {
            ticks = max(ticks / 2, SpinBudget.minimum)
        }
    }

    /// The thread has woken the one that it will wait for: there is no sense in spinning until that
    /// one's CPU is up, while it could run here.
    mutating func noteWoken() { isPointless = true }

    /// The sleep after the last spin has ended. If both were short, it is worth spinning that long
    /// next time.
    mutating func slept(ticks slept: UInt64) {
        let wait = vain &+ slept
        if wait < SpinBudget.maximum {
            ticks = min(wait + SpinBudget.start, SpinBudget.maximum)
        } else if slept < SpinBudget.longestWakeUp {
            sleepsToProbe -= 1
            guard sleepsToProbe <= 0 else { return }
            isProbing = true
            ticks = SpinBudget.maximum
        }
    }
}
