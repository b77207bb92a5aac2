import Testing

@testable import RingDispatch

@Suite("How long a wait spins")
struct SpinBudgetTests {
    /// A sleep so long that a longer spin would not have caught its event.
    private static let long = Tuning.longestWakeUpTicks * 10
    private static let doubtful = Tuning.longestWakeUpTicks - 1

    /// An unsuccessful spin, then a sleep.
    private func miss(_ budget: inout SpinBudget, sleepTicks: UInt64, count: Int = 1) {
        for _ in 0..<count {
            budget.failed()
            budget.slept(ticks: sleepTicks)
        }
    }

    @Test("Waits that are long end the spinning")
    func long() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.long, count: 1000)
        #expect(budget.ticks == Tuning.shortestSpinTicks)
    }

    @Test("A spin that paid off may be twice as long the next time, up to the most")
    func success() {
        var budget = SpinBudget()
        budget.succeeded(ticks: Tuning.firstSpinTicks)
        #expect(budget.ticks == 2 * Tuning.firstSpinTicks)
        budget.succeeded(ticks: Tuning.longestSpinTicks)
        #expect(budget.ticks == Tuning.longestSpinTicks)
    }

    @Test("A short wait is spun for the next time")
    func shortWait() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.long, count: 10)
        let wait = 2 * Tuning.firstSpinTicks
        miss(&budget, sleepTicks: wait)
        #expect(budget.ticks >= wait)
    }

    @Test("Sleeps that may be long only because of the wake-up are probed, at growing intervals")
    func probes() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.long, count: 10)
        var probes: [Int] = []
        for round in 0..<4000 {
            miss(&budget, sleepTicks: Self.doubtful)
            if budget.ticks == Tuning.longestSpinTicks { probes.append(round) }
        }
        let gaps = zip(probes.dropFirst(), probes).map { $0 - $1 }
        #expect(gaps.first == 2 * Tuning.fewestSleepsToProbe)
        #expect(gaps.last == 1024)
        #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 == min(2 * $1, 1024) })
    }

    @Test("A probe that pays off is kept, and the next loss is probed soon")
    func probeSucceeds() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.doubtful, count: 2000)
        while budget.ticks != Tuning.longestSpinTicks { miss(&budget, sleepTicks: Self.doubtful) }
        budget.succeeded(ticks: Tuning.longestSpinTicks / 2)
        #expect(budget.ticks == Tuning.longestSpinTicks)
        miss(&budget, sleepTicks: Self.long, count: 10)
        var waits = 0
        while budget.ticks != Tuning.longestSpinTicks {
            miss(&budget, sleepTicks: Self.doubtful)
            waits += 1
        }
        #expect(waits <= Tuning.fewestSleepsToProbe)
    }
}
