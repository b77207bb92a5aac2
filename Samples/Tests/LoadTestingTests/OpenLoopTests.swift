import Histogram
import LoadTesting
import RingDispatch
import RingNetwork
import Testing

@testable import LoadTesting

/// Loads on schedule.
@Suite("Open loop", .watchdog)
struct OpenLoopTests {
    /// A slow machine makes latencies longer, never shorter: only lower limits hold everywhere.
    @Test("latencies count from when a message was due, however slow the server is")
    func coordinatedOmission() throws {
        let server = try StoppingServer()
        var plan = try shortPlan(server.endpoint).ending(afterRequests: 1000)
        // Few connections, so that most messages that are due in the stop wait for one. A low rate,
        // so that they wait only for the end of the stop.
        plan.connections = 8
        plan.schedule = .constant(perSecond: 400)
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.messages == 1000)
        let stop = Double(try #require(server.stopNanoseconds))
        // Messages are due at equal intervals: those due in all but the stop's last x wait longer
        // than x. One interval for the limits of the stop, and 1 % for the histogram's precision.
        let interval = 1e9 / 400
        for percent in [90.0, 95, 99] {
            let reference = stop - (1 - percent / 100) * 1000 * interval
            #expect(
                Double(report.percentile(percent)) >= reference * 0.99 - interval,
                "p\(percent): \(report.percentile(percent)), reference \(reference)")
        }
        // The service time hides the stop: only eight messages show it.
        let open = report.measurement.open
        #expect(Double(open.service.valueAtPercentile(95)) < Double(report.percentile(95)) / 2)
        #expect(open.waited > 100 && open.unsent == 0)
    }

    @Test("unsent messages are reported if the server does not keep up")
    func overload() throws {
        let server = try TestServer.answering { _, _ in }
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 200)
        plan.connections = 40
        plan.schedule = .constant(perSecond: 1000)
        plan.stallNanoseconds = 100_000_000
        let report = try runLoad(plan)
        #expect(report.hasFailed)
        // One was due each millisecond until the stall ended the run, and 40 were sent.
        #expect(report.measurement.open.unsent > 50, "\(report.text)")
        #expect(report.warnings.contains { $0.contains("due and not sent") })
        // The latencies show how long these waited.
        #expect(report.percentile(100) >= 99_000_000, "\(report.text)")
    }

    @Test("the latencies show how long messages waited that were never sent")
    func unsentLatencies() throws {
        nonisolated(unsafe) var received = 0
        let server = try TestServer.answering { connection, bytes in
            received += 1
            // Later ones are never answered.
            if received <= 40 { connection.send(bytes) }
        }
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 1000)
        plan.connections = 1
        plan.schedule = .constant(perSecond: 200)
        plan.stallNanoseconds = 500_000_000
        // No stall is found before the end: messages are due until then.
        plan.intervalNanoseconds = 60_000_000_000
        let report = try runLoad(plan)
        // Of the 200 that were due, 40 were answered and one was in flight.
        #expect(report.measurement.open.unsent > 100, "\(report.text)")
        #expect(report.percentile(90) >= 50_000_000, "\(report.text)")
        let recorded = Int(report.measurement.latencies.totalCount)
        #expect(recorded > report.measurement.messages + 20, "\(report.text)")
        #expect(try Condition("p90>50ms").holds(for: report))
    }

    @Test("each unsent message has its place among the latencies")
    func unsentShare() throws {
        let plan = try Self.plan(.constant(perSecond: 1000))
        let payload = Payload(sizes: plan.sizes, seed: plan.seed)
        let shard = try Shard(index: 0, plan: plan, payload: payload, targets: [])
        shard.queue.sync {
            shard.beginMeasuring(endNanoseconds: .max)
            // Nothing is sent: there are no connections.
            shard.pacer = Pacer(shard)
            shard.pacer?.start()
        }
        #expect(poll { shard.queue.sync { shard.pacer?.hasBacklog == true } })
        let statistics = shard.queue.sync {
            shard.endMeasuring()
            return shard.takeMeasurement()
        }
        #expect(statistics.open.unsent > 0)
        #expect(Int(statistics.latencies().totalCount) == statistics.open.unsent)
    }

    @Test("what is due at the end is sent, although connections are replaced")
    func backlogWithChurn() throws {
        let server = try TestServer.answering { connection, bytes in
            connection.queue.asyncAfter(deadline: .now() + .milliseconds(20)) {
                connection.send(bytes)
            }
        }
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 200)
        plan.schedule = .constant(perSecond: 500)
        plan.messagesPerConnection = 1
        plan.stallNanoseconds = 20_000_000_000
        let report = try runLoad(plan)
        #expect(!report.hasFailed, "\(report.text)")
        #expect(report.measurement.open.unsent == 0, "\(report.text)")
        // Four connections, 20 ms for each of the 100 messages, and no wait for a stall.
        #expect(report.measurement.messages > 50)
    }

    @Test("unsent messages of the warm-up do not count, but are mentioned")
    func overloadInWarmup() throws {
        let server = try TestServer.answering { _, _ in }
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 2000)
        plan.schedule = .constant(perSecond: 1000)
        plan.warmupNanoseconds = 300_000_000
        plan.stallNanoseconds = 2_500_000_000
        // No stall is found before the end, however late the warm-up ends.
        plan.intervalNanoseconds = 60_000_000_000
        let report = try runLoad(plan)
        #expect(1...2002 ~= report.measurement.open.unsent, "\(report.text)")
        #expect(report.warnings.contains { $0.contains("warm-up's backlog was not worked off") })
    }

    /// How 1000 messages a second for a second are answered, and whether that keeps the rate.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isKept: Bool
        /// From due to sent, and from sent to answered, in milliseconds, by the message's number.
        let wait: @Sendable (UInt64) -> UInt64
        let service: @Sendable (UInt64) -> UInt64
    }

    static let courses = [
        Course(
            testDescription: "long service", isKept: true, wait: { _ in 0 }, service: { _ in 400 }),
        Course(
            testDescription: "hiccup at the end", isKept: true, wait: { _ in 0 },
            service: { $0 < 985 ? 1 : 1001 - $0 + 15 }),
        Course(
            testDescription: "growing backlog", isKept: false, wait: { $0 / 5 }, service: { _ in 1 }
        ),
        Course(
            testDescription: "backlog in the server", isKept: false, wait: { _ in 0 },
            service: { $0 / 3 }),
    ]

    @Test(
        "a backlog lengthens the measured time, but the time of an answer does not",
        arguments: courses)
    func keptRate(course: Course) throws {
        var statistics = ShardStatistics()
        let start: UInt64 = 1_000_000_000
        statistics.begin(atNanoseconds: start)
        for number in 0..<1000 as Range<UInt64> {
            let due = start + number * 1_000_000
            let sent = due + course.wait(number) * 1_000_000
            let now = sent + course.service(number) * 1_000_000
            if sent > due {
                statistics.recordWait(due: due)
            } else {
                statistics.recordSlip(due: due, now: sent)
            }
            statistics.record(due: due, now: now)
            statistics.recordService(due: due, sent: sent, now: now)
        }
        let report = try Self.report(statistics, .constant(perSecond: 1000))
        #expect(report.keptRate == course.isKept, "\(report.text)")
    }

    /// The report of a second from `start`.
    private static func report(
        _ statistics: ShardStatistics, _ schedule: Schedule
    ) throws -> LoadReport {
        var statistics = statistics
        statistics.endNanoseconds = statistics.startNanoseconds + 1_000_000_000
        return LoadReport(
            plan: try Self.plan(schedule), environment: .current(),
            measurement: Measurement([statistics]), intervals: [], usage: UsageObservation(),
            errors: ErrorCounts(), hostile: [:], wasInterrupted: false)
    }

    @Test("a message that was due after the time of the check has not waited")
    func dueLater() {
        var statistics = ShardStatistics()
        statistics.begin(atNanoseconds: 1000)
        statistics.recordUnanswered([2000], now: 1500)
        #expect(statistics.latencies().totalCount == 0)
    }

    @Test(
        "a rate at random intervals is kept if what was due is answered", arguments: [0, 30])
    func keptRandomRate(unsent: Int) throws {
        var statistics = ShardStatistics()
        statistics.begin(atNanoseconds: 1_000_000_000)
        // Some 1000 are expected, with a standard deviation of 32.
        for number in 0..<950 as Range<UInt64> {
            let due = 1_000_000_000 + number * 1_000_000
            statistics.recordSlip(due: due, now: due)
            statistics.record(due: due, now: due + 1_000_000)
        }
        statistics.recordUnsent(unsent, hasWarmupBacklog: false)
        let report = try Self.report(statistics, .poisson(perSecond: 1000))
        #expect(report.keptRate == (unsent == 0), "\(report.text)")
    }

    @Test("the last answer of --requests does not lengthen the measured time")
    func requestsEnd() throws {
        let server = try TestServer { connection in
            connection.setReceiveHandler { connection, span in
                let bytes = span.withUnsafeBytes { Array($0) }
                connection.queue.asyncAfter(deadline: .now() + .seconds(1)) {
                    connection.send(bytes)
                }
            }
        }
        var plan = try shortPlan(server.endpoint).ending(afterRequests: 200)
        plan.connections = 200
        plan.schedule = .constant(perSecond: 1000)
        let start = ContinuousClock.now
        let report = try runLoad(plan)
        let all = ContinuousClock.now - start
        #expect(report.measurement.messages == 200, "\(report.text)")
        // The last answer comes a second after its message, or later.
        #expect(.seconds(report.measurement.seconds) < all - .milliseconds(900))
    }

    static func plan(
        _ schedule: Schedule, shards: Int = 1, connections: Int? = nil
    ) throws -> LoadPlan {
        var plan = try shortPlan(.ipv4(.loopback, port: 1)).lasting(milliseconds: 1000)
        plan.schedule = schedule
        plan.shards = shards
        plan.connections = connections ?? shards
        return plan
    }

    @Test(
        "shards send at equal intervals together, each as often as it has connections",
        arguments: [(1, 1), (3, 3), (2, 3), (3, 8), (8, 12)])
    func constantSchedule(shards: Int, connections: Int) throws {
        let plan = try Self.plan(
            .constant(perSecond: 1000), shards: shards, connections: connections)
        var times: [UInt64] = []
        for shard in 0..<shards {
            let before = times.count
            var arrivals = Arrivals(plan, shard: shard, start: 5_000, seed: 1)
            while arrivals.nextNanoseconds < 1_000_005_000 {
                times.append(arrivals.nextNanoseconds)
                arrivals.advance()
            }
            let own = plan.share(of: connections, shard: shard).count
            let share = 1000 * Double(own) / Double(connections)
            #expect(abs(Double(times.count - before) - share) <= Double(own))
        }
        times.sort()
        #expect(times.count == 1000)
        #expect(zip(times, times.dropFirst()).allSatisfy { abs(Int($1 - $0) - 1_000_000) <= 1 })
    }

    /// 200 messages in a second of warm-up, then two seconds from 200 to 1000 messages per second.
    static let ramps: [(Double, Double, Int)] = [(200, 1000, 1), (200, 1000, 3), (1000, 200, 8)]

    @Test("a ramp's rate changes evenly over the measured time", arguments: ramps)
    func ramp(first: Double, last: Double, shards: Int) throws {
        var plan = try Self.plan(.ramp(from: first, to: last), shards: shards)
        plan.warmupNanoseconds = 1_000_000_000
        plan.durationNanoseconds = 2_000_000_000
        var times: [UInt64] = []
        for shard in 0..<shards {
            var arrivals = Arrivals(plan, shard: shard, start: 5_000, seed: 1)
            while arrivals.nextNanoseconds < 4_000_005_000 {
                times.append(arrivals.nextNanoseconds - 5_000)
                arrivals.advance()
            }
        }
        func count(_ seconds: Range<Double>) -> Int {
            times.count { seconds.contains(Double($0) / 1e9) }
        }
        let middle = (first + last) / 2
        let expected = [
            (0.0..<1, first), (1..<2, (first + middle) / 2), (2..<3, (middle + last) / 2),
            (3..<4, last),
        ]
        for (seconds, rate) in expected {
            #expect(abs(count(seconds) - Int(rate)) <= 1, "\(seconds)")
        }
        // No jumps: a distance is the inverse of the rate at its time.
        times.sort()
        for (time, next) in zip(times, times.dropFirst()) {
            let ramped = min(max(Double(time) / 1e9 - 1, 0), 2) / 2
            let distance = 1e9 / (first + (last - first) * ramped)
            #expect(abs(Double(next - time) / distance - 1) < 0.01)
        }
    }

    static let longSchedules: [Schedule] = [
        .constant(perSecond: 5_000_000), .poisson(perSecond: 5_000_000),
        .ramp(from: 1_000_000, to: 9_000_000), .ramp(from: 9_000_000, to: 1_000_000),
    ]

    @Test("billions of unsent messages take no time to count", arguments: longSchedules)
    func longOverload(schedule: Schedule) throws {
        let seconds: UInt64 = 1800
        var plan = try Self.plan(schedule, shards: 2, connections: 3)
        plan.durationNanoseconds = seconds * 1_000_000_000
        let payload = Payload(sizes: plan.sizes, seed: plan.seed)
        let shard = try Shard(index: 1, plan: plan, payload: payload, targets: [])
        shard.queue.sync {
            let start = DispatchTime.now().uptimeNanoseconds
            shard.statistics.begin(atNanoseconds: start)
            let pacer = Pacer(shard)
            // Nothing is sent: there are no connections.
            pacer.start()
            let (count, dueTimes) = pacer.unsent(before: start + plan.durationNanoseconds)
            let unsent = Double(count)
            pacer.stop()
            let share = Double(plan.share(of: 3, shard: 1).count) / 3
            #expect(abs(unsent / (5_000_000 * share * Double(seconds)) - 1) < 0.01)
            #expect(dueTimes.count <= 1_000_000)
        }
    }

    @Test("the slowest rates have their next message after the load")
    func slowest() throws {
        let plan = try Self.plan(.constant(perSecond: 1e-300), shards: 2)
        var arrivals = Arrivals(plan, shard: 1, start: 5, seed: 7)
        for _ in 0..<3 {
            #expect(arrivals.nextNanoseconds > 1_000_000_000_000)
            arrivals.advance()
        }
    }

    @Test("a ramp at random intervals has the same number of messages")
    func poissonRamp() throws {
        let plan = try Self.plan(.ramp(from: 10_000, to: 30_000, isPoisson: true))
        var arrivals = Arrivals(plan, shard: 0, start: 0, seed: 7)
        var halves = [0, 0]
        while arrivals.nextNanoseconds < 1_000_000_000 {
            halves[Int(arrivals.nextNanoseconds / 500_000_000)] += 1
            arrivals.advance()
        }
        // Five standard deviations, the square root of the count.
        #expect(abs(halves[0] - 7500) < 435 && abs(halves[1] - 12_500) < 560, "\(halves)")
    }

    @Test(
        "a Poisson schedule has the rate's mean, and an exponential distribution's deviation",
        arguments: [(1, 1, 1000.0), (2, 3, 1500), (2, 3, 3000)])
    func poissonSchedule(shards: Int, connections: Int, perSecond: Double) throws {
        // A message each millisecond: the shard has all connections, two of three, or one of three.
        let plan = try Self.plan(
            .poisson(perSecond: perSecond), shards: shards, connections: connections)
        let shard = perSecond == 3000 ? 0 : shards - 1
        var arrivals = Arrivals(plan, shard: shard, start: 0, seed: 7)
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
        let sweep = try Sweep(
            shortPlan(server.endpoint), rates: 20...80, until: try Condition("p99<10s"))
        var rates: [Double] = []
        let best = try sweep.best(
            run: { plan in
                rates.append(plan.schedule.perSecond ?? 0)
                // Above 40 a second, nothing is answered.
                let isServed = (plan.schedule.perSecond ?? 0) <= 40
                if !isServed { return try Self.failingReport(plan) }
                // A closed loop ends with all its answers, however slow the machine is.
                var plan = plan
                plan.schedule = .closed
                return try runLoad(plan)
            }, onStep: { _ in })
        #expect(best?.perSecond == 40, "\(rates)")
        #expect(rates.starts(with: [20, 40, 80]))
    }

    private static func failingReport(_ plan: LoadPlan) throws -> LoadReport {
        let server = try TestServer.answering { connection, _ in connection.close() }
        var plan = plan.lasting(milliseconds: 300)
        plan.targets = [try LoadTarget("tcp://\(server.endpoint)")]
        return try runLoad(plan)
    }
}
