import Testing

@testable import RingDispatch

@Suite("How long a wait spins")
struct SpinBudgetTests {
    /// A sleep so long that a longer spin would not have caught its event.
    private static let long = Tuning.longestSpinTicks * 50

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
}
