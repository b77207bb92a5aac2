import Testing

/// Each text file in `Files` is a test, once for each of its windows.
@Suite("Scenarios", .waitingWatchdog)
struct ScenarioTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let scenario: Scenario
        let windowMilliseconds: Int

        var testDescription: String { "\(scenario.name), window \(windowMilliseconds) ms" }

        static let all = Scenario.all.scenarios.flatMap { scenario in
            scenario.windowsMilliseconds.map { Case(scenario: scenario, windowMilliseconds: $0) }
        }
    }

    @Test("the reported changes are those that the file expects", arguments: Case.all)
    func scenario(_ subject: Case) throws {
        try ScenarioRun(subject.scenario, windowMilliseconds: subject.windowMilliseconds).run()
    }

    @Test("all files can be read")
    func files() {
        #expect(Scenario.all.errors.isEmpty)
        #expect(Scenario.all.scenarios.count >= 60)
    }
}
