import Glibc
import LoadTesting
import RingNetwork
import Testing
import WireFormats

@testable import LoadTesting

/// The report in each of its formats.
@Suite("Reports", .watchdog)
struct ReportTests {
    private static let measured = Result {
        let server = try TestServer.echo()
        // Long enough for several intervals even on a slow machine.
        var plan = try shortPlan(server.endpoint).lasting(milliseconds: 3000)
        plan.intervalNanoseconds = 100_000_000
        plan.warmupNanoseconds = 1_000_000_000
        plan.schedule = .constant(perSecond: 1000)
        return try runLoad(plan)
    }

    /// All tests read the same run.
    static func report() throws -> LoadReport { try measured.get() }

    @Test("the JSON report can be parsed and has the run's figures")
    func json() throws {
        let report = try Self.report()
        let json = try #require(try? JSONReader.read(Array(report.json.utf8)))
        #expect(json["schema"]?.text == "ringload-report")
        #expect(json["status"]?.text == "ok")
        #expect(json["messages"]?.number == Double(report.measurement.messages))
        #expect(json["latency_nanoseconds"]?["p99"]?.number == Double(report.percentile(99)))
        #expect(json["intervals"]?.elements.count == report.intervals.count)
        #expect(json["errors"]?["total"]?.number == 0)
        #expect(json["open_loop"]?["service_nanoseconds"]?["p50"]?.number ?? 0 > 0)
    }

    @Test("the distribution file ends with the count and matches the histogram")
    func distribution() throws {
        let report = try Self.report()
        let lines = report.hgrm.split(separator: "\n")
        #expect(lines[0].split(separator: " ").first == "Value")
        let rows = lines.dropFirst().filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: " ").compactMap { Double($0) }
        }
        #expect(rows.allSatisfy { $0.count == 4 || $0.count == 3 })
        #expect(rows.last?[2] == Double(report.measurement.messages))
        for row in rows {
            // The file's level is rounded: it may be on either side of the next latency.
            let level = row[1] * 100
            let low = Double(report.percentile(max(0, level - 1e-6))) / 1e6
            let high = Double(report.percentile(min(100, level + 1e-6))) / 1e6
            #expect(row[0] >= low * 0.998 - 1e-6 && row[0] <= high * 1.002 + 1e-6, "\(row)")
        }
    }

    @Test("the CSV file has a line for each interval")
    func intervals() throws {
        let report = try Self.report()
        let lines = report.csv.split(separator: "\n")
        #expect(lines.count == report.intervals.count + 1 && report.intervals.count >= 2)
        let columns = lines[0].split(separator: ",").count
        #expect(lines.allSatisfy { $0.split(separator: ",").count == columns })
    }

    @Test("the page is self-contained and has plots")
    func page() throws {
        let html = try Self.report().html
        for part in ["Latency by percentile", "Latency over time", "Messages each second"] {
            #expect(html.contains(part))
        }
        #expect(html.components(of: "<svg") == 3 && html.components(of: "<polyline") == 7)
        #expect(html.contains("prefers-color-scheme: dark"))
        // The page loads nothing from elsewhere.
        for word in ["http://", "https://", "<script", "@import", "url("] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test("the page and the JSON report say when, where and with what the run was made")
    func environment() throws {
        let report = try Self.report()
        let names = ["date", "host", "kernel", "CPUs", "ringload", "command"]
        for name in names + ["client back end", "server back end"] {
            #expect(report.html.contains("<th>\(name)</th><td>"), "\(name)")
        }
        #expect(report.html.contains("<th>server back end</th><td>not known</td>"))
        let json = try #require(try? JSONReader.read(Array(report.json.utf8)))
        let environment = try #require(json["environment"])
        #expect(environment["kernel"]?.text?.hasPrefix("Linux ") == true)
        #expect(["io_uring", "epoll"].contains(environment["client_backend"]?.text))
    }

    @Test("the server's back end is that of the observed process")
    func serverBackend() throws {
        // A process has its rings once it has listened.
        _ = try Self.report()
        let own = RunEnvironment.current(server: getpid())
        #expect(own.serverBackend == own.clientBackend)
        #expect(RunEnvironment.current().serverBackend == nil)
    }

    @Test("the text of a plot is readable on a phone")
    func textSize() throws {
        let html = try Self.report().html
        let box = try #require(html.firstMatch(of: /viewBox="0 0 (?<width>\d+)/))
        let font = try #require(html.firstMatch(of: /svg text \{[^}]*font: (?<size>\d+)px/))
        // 360 pixels: a phone of 420, less the margins.
        let size = try #require(Double(font.size)) * 360 / #require(Double(box.width))
        #expect(size > 11)
    }

    @Test("the plots over time show the measured time, not the warm-up")
    func warmup() throws {
        let report = try Self.report()
        let measured = report.intervals.count { !$0.isWarmingUp }
        #expect(measured < report.intervals.count)
        let plot = try #require(report.html.ranges(of: "Messages each second").first)
        let points = try #require(
            report.html[plot.upperBound...].firstMatch(of: /points="(?<points>[^"]*)"/))
        #expect(points.points.split(separator: " ").count == measured)
    }

    static let conditions: [(String, Bool)] = [
        ("p99>1ns", true), ("p99>1s", false), ("p50<1s", true), ("max > 60s", false),
        ("rate>1m", false), ("rate>100", true), ("errors>0", false), ("error%>0.1", false),
        ("mean>=1ns", true), ("p99.9<1us", false),
        ("errors>=0", true), ("errors <= 0", true), ("errors<0", false), ("errors>=1", false),
    ]

    /// A synthetic report: 1000 messages a second, each answered within a millisecond.
    static func madeUpReport(
        shards: Int = 2, usage: UsageObservation = UsageObservation()
    ) throws -> LoadReport {
        var statistics = ShardStatistics()
        let start: UInt64 = 1_000_000_000
        statistics.begin(atNanoseconds: start)
        for index in 0..<600 as Range<UInt64> {
            let due = start + index * 1_000_000
            statistics.record(due: due, now: due + 100_000 + index * 1000)
        }
        statistics.endNanoseconds = start + 600_000_000
        var plan = try shortPlan(.ipv4(.loopback, port: 1))
        plan.connections = max(4, shards)
        plan.shards = shards
        return LoadReport(
            plan: plan, environment: .current(), measurement: Measurement([statistics]),
            intervals: [], usage: usage, errors: ErrorCounts(), hostile: [:],
            wasInterrupted: false)
    }

    @Test("conditions compare the report's figures")
    func conditions() throws {
        let report = try Self.madeUpReport()
        for (text, holds) in Self.conditions {
            #expect(try Condition(text).holds(for: report) == holds, "\(text)\n\(report.text)")
            #expect((try Condition(text).finding(report) != nil) == holds, "\(text)")
        }
    }

    @Test("a client with more loops than CPUs that uses all CPUs was the limit")
    func clientLimit() throws {
        var usage = UsageObservation()
        usage.userSeconds = 0.6 * Double(RunEnvironment.usableProcessors)
        let warnings = try Self.madeUpReport(shards: 1000, usage: usage).warnings
        #expect(warnings.first?.hasPrefix("the client was the limit") == true, "\(warnings)")
        #expect(try Self.madeUpReport(shards: 1000).warnings.isEmpty)
    }

    @Test("a condition about a server that has ended neither holds nor passes")
    func endedServer() throws {
        let report = try Self.madeUpReport()
        for text in ["cpu>20us", "cpu<20us"] {
            let condition = try Condition(text)
            #expect(!condition.holds(for: report))
            #expect(condition.finding(report) == "\(text): the server's process has ended")
        }
    }

    @Test(
        "an invalid condition is rejected, with examples",
        arguments: [
            "", "p99", "p99>5", "p101>5ms", "speed>1", "p99>-1ms", "errors>x", "p99=5ms",
            "p99>5=ms",
        ])
    func wrongConditions(text: String) {
        let failure = #expect(throws: LoadFailure.self) { try Condition(text) }
        #expect(failure?.kind == .usage)
        #expect(failure?.description.contains("p99>5ms") == true)
    }

    /// A JSON report with intervals of these rates.
    static func json(rates: [Double]) -> String {
        let intervals = rates.map {
            "{\"messages_per_second\": \($0), \"p50\": 100, \"is_warming_up\": false}"
        }
        let mean = rates.reduce(0, +) / Double(rates.count)
        return """
            {"schema": "ringload-report", "version": 1, "messages_per_second": \(mean),
             "latency_nanoseconds": {"p50": 100},
             "intervals": [\(intervals.joined(separator: ","))]}
            """
    }

    @Test("a difference counts only when it is larger than the noise of both runs")
    func comparison() throws {
        func verdict(_ before: [Double], _ after: [Double]) throws -> Comparison.Verdict? {
            try Comparison(
                before: Self.json(rates: before), named: "a", after: Self.json(rates: after),
                named: "b"
            ).rows.first?.verdict
        }
        #expect(try verdict([100, 101, 99, 100], [120, 121, 119, 120]) == .better)
        #expect(try verdict([100, 101, 99, 100], [80, 81, 79, 80]) == .worse)
        #expect(try verdict([50, 150, 80, 120], [70, 170, 100, 140]) == .noise)
        #expect(try verdict([100, 100, 100], [100.2, 100.2, 100.2]) == .noise)
        #expect(try verdict([100], [200]) == .unknown)
    }

    @Test("a report compared with itself has a verdict on each figure: no difference")
    func sameReport() throws {
        let json = try Self.report().json
        let comparison = try Comparison(before: json, named: "a", after: json, named: "b")
        #expect(comparison.rows.allSatisfy { $0.verdict == .noise }, "\(comparison.text)")
    }

    @Test("a comparison names what differs in the load and the machine, but not the seed")
    func differences() throws {
        func json(_ connections: Int, _ seed: Int, _ host: String) -> String {
            let sections = """
                {"configuration": {"connections": \(connections), "seed": "\(seed)"},
                 "environment": {"host": "\(host)", "date": "\(seed)"},
                """
            return sections + Self.json(rates: [1]).dropFirst()
        }
        func text(_ before: String, _ after: String) throws -> String {
            try Comparison(before: before, named: "a", after: after, named: "b").text
        }
        let different = try text(json(64, 1, "one"), json(128, 2, "two"))
        #expect(
            different.hasPrefix(
                "warning: the runs differ: connections 64 and 128; host one and two"))
        #expect(try !text(json(64, 1, "one"), json(64, 2, "one")).contains("warning"))
    }

    @Test("a comparison says when a run failed")
    func failedRun() throws {
        let failed =
            "{\"status\": \"failed\", \"errors\": {\"total\": 3},"
            + Self.json(rates: [1]).dropFirst()
        let comparison = try Comparison(
            before: Self.json(rates: [1]), named: "a.json", after: String(failed), named: "b.json")
        #expect(comparison.text.hasPrefix("warning: b.json: failed, 3 errors\n\n"))
    }

    @Test("a comparison prints any number", arguments: ["1e20", "1e400", "-1e400", "0.5"])
    func largeNumber(number: String) throws {
        let large = """
            {"schema": "ringload-report", "version": 1, "messages_per_second": \(number),
             "latency_nanoseconds": {"p50": \(number)}, "intervals": []}
            """
        for (before, after) in [(large, large), (large, Self.json(rates: [1]))] {
            let comparison = try Comparison(
                before: before, named: "a.json", after: after, named: "b.json")
            #expect(comparison.text.contains("p50"))
        }
    }

    @Test("an invalid report is rejected", arguments: ["", "{", "[1]", "{\"schema\": \"other\"}"])
    func noReport(text: String) {
        let failure = #expect(throws: LoadFailure.self) {
            try Comparison(
                before: text, named: "a.json", after: Self.json(rates: [1]), named: "b.json")
        }
        #expect(failure?.description.contains("a.json") == true)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
