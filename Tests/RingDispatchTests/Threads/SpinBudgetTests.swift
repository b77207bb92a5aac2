import Testing

@testable import RingDispatch

@Suite("How long a wait spins")
struct SpinBudgetTests {
    /// A sleep so long that a longer spin would not have caught its event.
    private static let long = SpinBudget.longestWakeUp * 10
    private static let doubtful = SpinBudget.longestWakeUp - 1

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
        #expect(budget.ticks == SpinBudget.minimum)
    }

    @Test("A spin that paid off may be twice as long the next time, up to the most")
    func success() {
        var budget = SpinBudget()
        budget.succeeded(ticks: SpinBudget.start)
        #expect(budget.ticks == 2 * SpinBudget.start)
        budget.succeeded(ticks: SpinBudget.maximum)
        #expect(budget.ticks == SpinBudget.maximum)
    }

    @Test("A short wait is spun for the next time")
    func shortWait() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.long, count: 10)
        let wait = 2 * SpinBudget.start
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
            if budget.ticks == SpinBudget.maximum { probes.append(round) }
        }
        let gaps = zip(probes.dropFirst(), probes).map { $0 - $1 }
        #expect(gaps.first == 2 * SpinBudget.fewestSleeps)
        #expect(gaps.last == 1024)
        #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 == min(2 * $1, 1024) })
    }

    @Test("A probe that pays off is kept, and the next loss is probed soon")
    func probeSucceeds() {
        var budget = SpinBudget()
        miss(&budget, sleepTicks: Self.doubtful, count: 2000)
        while budget.ticks != SpinBudget.maximum { miss(&budget, sleepTicks: Self.doubtful) }
        budget.succeeded(ticks: SpinBudget.maximum / 2)
        #expect(budget.ticks == SpinBudget.maximum)
        miss(&budget, sleepTicks: Self.long, count: 10)
        var waits = 0
        while budget.ticks != SpinBudget.maximum {
            miss(&budget, sleepTicks: Self.doubtful)
            waits += 1
        }
        #expect(waits <= SpinBudget.fewestSleeps)
    }
}
