internal import Glibc

/// The command line.
struct Options {
    var scenarios: [Scenario] = []
    var seeds: ClosedRange<UInt64> = 1...100
    /// Prints all events.
    var traces = false
    /// Runs each seed twice and compares the runs.
    var runsTwice = false
    /// Ends at the first failure.
    var stops = false

    init(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let argument = arguments.popFirst() {
            switch argument {
            case "--trace": traces = true
            case "--twice": runsTwice = true
            case "--stop": stops = true
            case "--seeds":
                guard let range = Options.range(arguments.popFirst()) else {
                    Options.refuse("--seeds needs FIRST-LAST")
                }
                seeds = range
            default:
                guard let scenario = Scenario.all.first(where: { $0.name == argument }) else {
                    Options.refuse("no scenario is named '\(argument)'")
                }
                scenarios.append(scenario)
            }
        }
        if scenarios.isEmpty { scenarios = Scenario.all }
    }

    private static func range(_ text: String?) -> ClosedRange<UInt64>? {
        let parts = (text ?? "").split(separator: "-").compactMap { UInt64($0) }
        guard let first = parts.first, let last = parts.last, first <= last else { return nil }
        return first...last
    }

    private static func refuse(_ message: String) -> Never {
        print(message)
        exit(64)
    }
}
