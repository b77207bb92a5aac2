import ArgumentParser
import Glibc
import LoadTesting
import RingDispatch
import SampleSupport

/// The command line program.
@main
struct Ringload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringload",
        abstract: "A load client that checks every byte it receives, in a closed or an open loop.",
        discussion: """
            Without --rate each connection keeps --pipeline messages in flight and sends the next \
            one after a complete and correct answer. With --rate messages are sent on schedule, \
            and latencies count from when they were due. Progress goes to standard error, the \
            report to standard output. Ctrl-C ends the run early, with its report; \
            a second one at once, without.

            Targets: tcp://HOST:PORT, tls://HOST:PORT, unix:/path, udp://HOST:PORT, \
            http://HOST:PORT/path, https://HOST:PORT/path, resp://HOST:PORT.

            Exit status: 0 success, 1 an error, or a condition of --fail-if, 64 wrong usage.
            """,
        version: "ringload \(RunEnvironment.version)")

    @Argument(help: "The servers: tcp://127.0.0.1:7007, tcp://[::1]:7007, unix:/run/app.sock.")
    var targets: [String] = []

    @OptionGroup(title: "Load") var load: LoadOptions
    @OptionGroup(title: "Protocols") var protocols: ProtocolOptions
    @OptionGroup(title: "Search") var search: SweepOptions
    @OptionGroup(title: "Reports") var reports: ReportOptions
    @OptionGroup(title: "Runtime") var runtime: RuntimeOptions

    static func main() { start() }

    /// Not in `validate`, which ArgumentParser calls before it reports unknown options: in
    /// `--conections 3`, the 3 would be a wrong target.
    private func check() throws {
        do {
            if reports.compare != nil { return try checkComparison() }
            try plan().check()
            try reports.check()
            try search.check(load)
            try checkConditions()
        } catch let failure as LoadFailure {
            throw ValidationError(failure.description)
        }
    }

    private func plan() throws -> LoadPlan {
        var plan = try LoadPlan(try targets.map { try LoadTarget($0) })
        try load.apply(to: &plan, sweepStart: search.sweep?.lowerBound)
        try protocols.apply(to: &plan)
        return plan
    }

    func run() throws {
        // First: the runtime reads its environment variables only once. For a client, epoll is
        // about as fast as io_uring, mostly slightly faster, and no handler here blocks.
        runtime.apply(preferring: .epoll)
        try check()
        try perform()
    }

    private func checkConditions() throws {
        guard !load.serverCPU, load.pid == nil else { return }
        for condition in try reports.failIf + [Condition(search.until)]
        where condition.isAboutServerProcessor {
            throw ValidationError(
                "'\(condition)': name the server's process with --pid, or let --server-cpu find it")
        }
    }

    private func checkComparison() throws {
        guard targets.count == 1 else {
            throw ValidationError("--compare takes two reports: --compare A.json B.json")
        }
    }

    private func perform() throws {
        if let before = reports.compare, let after = targets.first {
            return try writeResult(try ReportFile.comparison(of: before, with: after).text)
        }
        var plan = try plan()
        if load.serverCPU, load.pid == nil { try plan.observeServer() }
        let others = plan.idleConnections + plan.hostile.count * plan.hostileConnections
        try ensureDescriptors(
            forConnections: plan.connections + others, loops: LoadPlan.loopCount)
        let files = try reports.open()
        let interruption = Interruption(stallTimeout: load.stallTimeout)
        var outcome = Outcome()
        let report =
            try search.sweep.map { try sweep(plan, $0, interruption, &outcome) }
            ?? measure(plan, interruption)
        outcome.lines.append(report.text)
        if load.serverCPU { addServerProcessor(report, to: &outcome) }
        try write(outcome, of: report, to: files)
    }

    /// What a run leads to, besides its report.
    private struct Outcome {
        /// For standard output.
        var lines: [String] = []
        /// What makes the exit status 1.
        var findings: [String] = []
    }

    /// Writes all that can be written, then fails if something could not be.
    private func write(_ outcome: Outcome, of report: LoadReport, to files: [ReportFile]) throws {
        var failures: [any Error] = []
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { failures.append(error) }
        }
        attempt { try writeResult(outcome.lines.joined(separator: "\n")) }
        for file in files { attempt { try file.commit(report) } }
        let findings = outcome.findings + reports.failIf.compactMap { $0.finding(report) }
        for finding in findings { writeErrorLine("failed: \(finding)") }
        for failure in failures.dropFirst() { writeErrorLine("Error: \(failure)") }
        if let failure = failures.first { throw failure }
        if report.hasFailed || !findings.isEmpty { throw ExitCode(1) }
    }

    private func measure(_ plan: LoadPlan, _ interruption: Interruption) throws -> LoadReport {
        let display = Display()
        let run = try LoadRun(plan) { display.show($0) }
        interruption.watch(run)
        defer { display.end() }
        return try run.waitForReport()
    }

    /// Adds the result of --server-cpu, and what makes it worthless.
    private func addServerProcessor(_ report: LoadReport, to outcome: inout Outcome) {
        guard let process = report.plan.observedProcess,
            let microseconds = report.serverMicrosecondsPerMessage
        else { return outcome.findings.append("--server-cpu: the server's process has ended") }
        let rate = Format.grouped(Int(report.plan.schedule.perSecond ?? 0))
        outcome.lines.append(
            "server CPU  \(Format.decimal(microseconds, places: 2)) µs a message at \(rate) "
                + "messages/s, process \(process)")
        guard !report.keptRate else { return }
        outcome.findings.append(
            "--server-cpu: the server answered "
                + "\(Format.grouped(Int(report.measurement.messagesPerSecond))) messages/s, not "
                + "\(rate); choose a lower --rate")
    }

    /// Runs the sweep and returns the best step's report; that of the first step if that was
    /// interrupted. Adds the best rate, and the failure of a later step.
    private func sweep(
        _ plan: LoadPlan, _ rates: ClosedRange<Double>, _ interruption: Interruption,
        _ outcome: inout Outcome
    ) throws -> LoadReport {
        let condition = try Condition(search.until)
        let sweep = try Sweep(plan, rates: rates, until: condition)
        /// The step that ended the search.
        var last: Result<LoadReport, any Error>?
        let best = try sweep.best(
            run: { plan in
                let result = Result { try measure(plan, interruption) }
                if !interruption.hasHappened, case .success(let report) = result { return report }
                last = result
                return nil
            },
            onStep: { writeErrorLine(SweepOptions.line($0)) })
        guard let best else {
            if let last { return try last.get() }
            throw Failure(
                "not even \(Format.grouped(Int(rates.lowerBound))) messages/s keep "
                    + "\(condition): start with a lower rate")
        }
        outcome.lines.append(
            "best rate   \(Format.grouped(Int(best.perSecond))) messages/s keep \(condition)"
                + (interruption.hasHappened ? " (interrupted)" : ""))
        if !interruption.hasHappened, case .failure(let error)? = last {
            outcome.findings.append("--sweep: the next step: \(error)")
        }
        return best.report
    }
}
