internal import CRing
internal import Ring
internal import Synchronization

/// Where one thread sleeps until another lets it go on. One `grant` for each `park`.
///
/// The word's exchange in `grant` (releasing) pairs with the load in `park` (acquiring): what the
/// granting thread wrote is seen by the one that goes on. The granting thread does not touch the
/// parker after that exchange, so that the sleeper's memory may go away at once.
struct Parker: ~Copyable {
    /// Safety: allocated with the thread's context and freed with it; its address is a futex.
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    private static let empty: UInt32 = 0
    private static let sleeping: UInt32 = 1
    private static let granted: UInt32 = 2

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(Parker.empty))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    func grant() {
        let address = UnsafeMutableRawPointer(word)
        let before = word.pointee.exchange(Parker.granted, ordering: .acquiringAndReleasing)
        if before == Parker.sleeping { Futex.wake(address) }
    }

    /// Takes the grant if there is one.
    @inline(__always)
    func tryTake() -> Bool {
        guard word.pointee.load(ordering: .acquiring) == Parker.granted else { return false }
        word.pointee.store(Parker.empty, ordering: .relaxed)
        return true
    }

    /// Sleeps until a grant, or until the deadline on CLOCK_MONOTONIC; false when that came first.
    func sleep(deadline: UInt64? = nil) -> Bool {
        while true {
            let (exchanged, original) = word.pointee.compareExchange(
                expected: Parker.empty, desired: Parker.sleeping, ordering: .acquiring)
            if !exchanged && original == Parker.granted {
                word.pointee.store(Parker.empty, ordering: .relaxed)
                return true
            }
            let outcome = Futex.wait(word, expected: Parker.sleeping, deadline: deadline)
            if tryTake() { return true }
            if outcome == .timedOut {
                let (withdrawn, _) = word.pointee.compareExchange(
                    expected: Parker.sleeping, desired: Parker.empty, ordering: .acquiring)
                if withdrawn { return false }
            }
        }
    }
}

/// How long to spin before a sleep: twice as long as it paid off lately, else next to nothing.
///
/// A sleep and its wake-up cost 5 to 20 µs and a spin its own time, so that a spin of up to that
/// length never costs more than twice the best choice; and a thread whose waits are long learns not
/// to spin at all.
struct SpinBudget {
    private var ticks: UInt64 = SpinBudget.start
    /// How long the last spin was in vain; 0: it was not.
    private var vain: UInt64 = 0
    private var isPointless = false

    static let start = 10 * microsecond
    static let maximum = 40 * microsecond
    static let minimum = microsecond / 4
    static let microsecond = cring_ticks_per_microsecond()

    /// Whether spinning can help: with one CPU what is waited for cannot happen meanwhile.
    static let isUseful = CPUCount.usable() > 1

    /// Spins until `condition` holds or the budget is used up; whether it held.
    @inline(__always)
    mutating func spin(until condition: () -> Bool) -> Bool {
        if condition() { return true }
        guard SpinBudget.isUseful && !isPointless else {
            isPointless = false
            return false
        }
        let start = cring_ticks()
        while true {
            for _ in 0..<4 { cring_pause() }
            if condition() {
                ticks = min(max(ticks, (cring_ticks() &- start) &* 2), SpinBudget.maximum)
                vain = 0
                return true
            }
            if cring_ticks() &- start > ticks {
                vain = ticks
                ticks = max(ticks / 2, SpinBudget.minimum)
                return false
            }
        }
    }

    /// The thread has woken the one that it will wait for: there is no sense in spinning until that
    /// one's CPU is up, while it could run here.
    mutating func noteWoken() { isPointless = true }

    /// The sleep after the last spin has ended. If both were short, it is worth spinning that long
    /// next time.
    mutating func slept(ticks slept: UInt64) {
        let wait = vain &+ slept
        if wait < SpinBudget.maximum { ticks = min(wait + SpinBudget.start, SpinBudget.maximum) }
    }
}
