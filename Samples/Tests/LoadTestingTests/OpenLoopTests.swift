import Glibc
import Histogram
import LoadTesting
import RingNetwork
import Testing

@testable import LoadTesting

/// Loads on schedule.
@Suite("Open loop", .taskWatchdog, .serialized)
struct OpenLoopTests {
    /// The tolerance for a busy machine.
    static let patienceNanoseconds = 25e6

    /// The expected percentile. Messages are due at equal intervals, and wait for the end of a
    /// stop: in a stop of length s, those due in its first s - x wait for longer than x.
    static func reference(_ percent: Double, stops: [Double], within seconds: Double) -> Double {
        let share = (1 - percent / 100) * seconds * 1e9
        var (low, high) = (0.0, stops.max() ?? 0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            let waiting = stops.reduce(0) { $0 + max(0, $1 - middle) }
            if waiting > share { low = middle } else { high = middle }
        }
        return low
    }

    /// This test measures latencies, which other tests would disturb.
    static let isAlone = getenv("LOADTESTING_ALONE") != nil

    @Test(
        "latencies count from when a message was due, however slow the server is",
        .enabled(if: isAlone, "set LOADTESTING_ALONE, and run no other test"))
    func coordinatedOmission() throws {
        let server = try StoppingServer()
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 3000)
        // Few connections, so that most messages that are due in a stop wait for one. A low rate,
        // so that they wait only for the end of the stop.
        plan.connections = 8
        plan.schedule = .constant(perSecond: 400)
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(abs(report.measurement.messages - 1200) < 60, "\(report.text)")
        let stops = server.stopNanoseconds
        #expect(stops.count == 3)
        for percent in [90.0, 95, 99] {
            let reference = Self.reference(percent, stops: stops, within: 3)
            let error = abs(Double(report.percentile(percent)) - reference)
            #expect(
                error <= reference * 0.02 + Self.patienceNanoseconds,
                "p\(percent): \(report.percentile(percent)), reference \(reference)")
        }
        // The service time hides the stops: only eight messages of each stop show it.
        let open = report.measurement.open
        #expect(Double(open.service.valueAtPercentile(90)) < Double(report.percentile(90)) / 2)
        #expect(open.waited > 100 && open.unsent == 0)
    }

    @Test("unsent messages are reported if the server does not keep up")
    func overload() throws {
        let server = try TestServer.answering { _, _ in }
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 200)
        plan.schedule = .constant(perSecond: 1000)
        plan.stallNanoseconds = 100_000_000
        let report = try runLoad(plan)
        #expect(report.hasFailed)
        #expect(report.measurement.open.unsent > 100, "\(report.text)")
        #expect(report.warnings.contains { $0.contains("due and not sent") })
    }

    @Test("a constant schedule's shares add up to it, at equal intervals", arguments: [1, 3, 8])
    func constantSchedule(shares: Int) {
        var times: [UInt64] = []
        for share in 0..<shares {
            var arrivals = Arrivals(
                .constant(perSecond: 1000), share: share, of: shares, start: 5_000, seed: 1)
            while arrivals.nextNanoseconds < 1_000_005_000 {
                times.append(arrivals.nextNanoseconds)
                arrivals.advance()
            }
        }
        times.sort()
        #expect(times.count == 1000)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs(Int($1 - $0) - 1_000_000) <= 1 })
    }

    @Test("a Poisson schedule has the rate's mean, and an exponential distribution's deviation")
    func poissonSchedule() {
        var arrivals = Arrivals(.poisson(perSecond: 1000), share: 0, of: 1, start: 0, seed: 7)
        var distances: [Double] = []
        for _ in 0..<100_000 {
            let before = arrivals.nextNanoseconds
            arrivals.advance()
            distances.append(Double(arrivals.nextNanoseconds - before))
        }
        let mean = distances.reduce(0, +) / Double(distances.count)
        let variance = distances.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 100_000
        #expect(abs(mean - 1e6) < 1e4)
        #expect(abs(variance.squareRoot() - 1e6) < 2e4)
    }

    @Test("a sweep ends at the highest rate that keeps the condition")
    func sweep() throws {
        let server = try TestServer.echo()
        let plan = try shortPlan(server.endpoint).lasting(milliseconds: 300)
        let sweep = try Sweep(
            plan, rates: 20...80, until: try Condition("p99<10s"))
        var rates: [Double] = []
        let best = try sweep.best(
            run: { plan in
                rates.append(plan.schedule.perSecond ?? 0)
                // Above 40 a second, nothing is answered.
                let isServed = (plan.schedule.perSecond ?? 0) <= 40
                return isServed ? try runLoad(plan) : try Self.failingReport(plan)
            }, onStep: { _ in })
        #expect(best?.perSecond == 40, "\(rates)")
        #expect(rates.starts(with: [20, 40, 80]))
    }

    private static func failingReport(_ plan: LoadPlan) throws -> LoadReport {
        let server = try TestServer.answering { connection, _ in connection.close() }
        var plan = plan
        plan.targets = [try LoadTarget("tcp://\(server.endpoint)")]
        return try runLoad(plan)
    }
}
