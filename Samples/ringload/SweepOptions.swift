import ArgumentParser
import LoadTesting

/// The search for the highest acceptable rate.
struct SweepOptions: ParsableArguments {
    @Option(
        help: "Find the highest rate in a range, with runs of --duration: 10k..200k.",
        transform: range)
    var sweep: ClosedRange<Double>?

    @Option(help: "The condition for an acceptable rate: p99<5ms.")
    var until = "p99<5ms"

    private static func range(_ text: String) throws -> ClosedRange<Double> {
        guard text.contains(".."), let rates = Rates(argument: text), rates.first <= rates.last
        else { throw ValidationError("write a range of messages per second, as in 10k..200k") }
        return rates.first...rates.last
    }

    func check(_ load: LoadOptions) throws {
        _ = try Condition(until)
        guard sweep == nil || load.rate == nil && load.requests == nil else {
            throw ValidationError("--sweep chooses the rates: leave --rate and --requests out")
        }
    }

    static func line(_ step: Sweep.Step) -> String {
        let latencies = step.report.percentile
        return "\(Format.padded(Format.grouped(Int(step.perSecond)), to: 11)) msg/s   "
            + "p50 \(Format.padded(Format.latency(latencies(50)), to: 8))   "
            + "p99 \(Format.padded(Format.latency(latencies(99)), to: 8))   "
            + (step.isKept ? "kept" : "not kept")
    }
}
