/// Searches for the highest rate at which a condition holds: open loops at one rate after the
/// other, each in a run of its own.
public struct Sweep: Sendable {
    /// One run of the search.
    public struct Step: Sendable {
        /// The rate that the run was to keep, in messages per second.
        public let perSecond: Double
        /// The result of the run.
        public let report: LoadReport
        /// True if the condition held, there were no errors, and the client kept the rate.
        public let isKept: Bool
    }

    /// The search ends when two rates are this close together.
    public static let resolution = 1.05
    private static let mostSteps = 40

    private let plan: LoadPlan
    private let rates: ClosedRange<Double>
    private let condition: Condition

    /// - Parameters:
    ///   - plan: the plan of each step, whose schedule the sweep replaces.
    ///   - rates: the lowest and the highest rate to try, in messages per second.
    ///   - condition: must hold for a rate to be kept.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(
        _ plan: LoadPlan, rates: ClosedRange<Double>, until condition: Condition
    ) throws {
        guard rates.lowerBound > 0 else {
            throw LoadFailure.usage("--sweep: rates must be above 0 messages per second")
        }
        self.plan = plan
        self.rates = rates
        self.condition = condition
    }

    /// Runs the search. Blocks like ``LoadRun/waitForReport()``.
    /// - Parameters:
    ///   - run: returns the report of a step; nil ends the search.
    ///   - onStep: called after each step.
    /// - Returns: the step with the highest rate that was kept; nil if even the lowest was not.
    public func best(
        run: (LoadPlan) throws -> LoadReport?, onStep: (Step) -> Void
    ) throws -> Step? {
        var best: Step?
        func isKept(_ rate: Double) throws -> Bool? {
            guard let step = try step(rate, run) else { return nil }
            onStep(step)
            if step.isKept, step.perSecond > best?.perSecond ?? 0 { best = step }
            return step.isKept
        }
        // Doubling finds a failing rate, then bisection finds the limit.
        var kept = rates.lowerBound
        var failing: Double?
        guard try isKept(kept) == true else { return best }
        var steps = 1
        while failing == nil, kept < rates.upperBound, steps < Self.mostSteps {
            let next = min(kept * 2, rates.upperBound)
            guard let holds = try isKept(next) else { return best }
            if holds { kept = next } else { failing = next }
            steps += 1
        }
        while let limit = failing, limit / kept > Self.resolution, steps < Self.mostSteps {
            let next = (limit * kept).squareRoot()
            guard let holds = try isKept(next) else { return best }
            if holds { kept = next } else { failing = next }
            steps += 1
        }
        return best
    }

    private func step(_ rate: Double, _ run: (LoadPlan) throws -> LoadReport?) throws -> Step? {
        var plan = plan
        plan.schedule =
            plan.schedule.isPoisson ? .poisson(perSecond: rate) : .constant(perSecond: rate)
        guard let report = try run(plan) else { return nil }
        let isKept =
            condition.holds(for: report) && !report.hasFailed && !report.wasInterrupted
            && report.keptRate
        return Step(perSecond: rate, report: report, isKept: isKept)
    }
}
