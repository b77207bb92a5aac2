import LoadTesting
import Testing

/// Valid and invalid plans.
@Suite("Plans")
struct PlanTests {
    static let targets: [(String, String)] = [
        ("tcp://127.0.0.1:7007", "tcp://127.0.0.1:7007"), ("TCP://[::1]:7", "tcp://[::1]:7"),
        ("tcp://localhost:7007", "tcp://localhost:7007"), ("unix:/run/x", "unix:/run/x"),
        ("unix:@name", "unix:@name"), ("udp://127.0.0.1:9", "udp://127.0.0.1:9"),
        ("http://127.0.0.1", "http://127.0.0.1:80/"),
        ("http://[::1]:8080/a?b=c", "http://[::1]:8080/a?b=c"),
        ("http://[::1]/a", "http://[::1]:80/a"), ("resp://h:6379", "resp://h:6379"),
    ]

    @Test("a target is parsed, and printed in its canonical form", arguments: targets)
    func target(text: String, meaning: String) throws {
        #expect(try LoadTarget(text).description == meaning)
    }

    @Test(
        "an invalid target is rejected",
        arguments: [
            "", "127.0.0.1:7007", "tcp:127.0.0.1:7007", "ftp://h:1", "tcp://h", "tcp://h:0",
            "tcp://h:65536", "tcp://::1:7", "tcp://h:1/path", "http://h/a b", "unix:", "tcp://",
        ])
    func wrongTarget(text: String) {
        let failure = #expect(throws: LoadFailure.self) { try LoadTarget(text) }
        #expect(failure?.kind == .usage)
        #expect(failure?.description.isEmpty == false)
    }

    @Test(
        "an invalid size is rejected",
        arguments: ["", "0", "-1", "x", "9..1", "0..5", "64:", "64:0", "64:1,", "99999999999"])
    func wrongSize(text: String) {
        #expect(throws: LoadFailure.self) { try MessageSizes(text) }
    }

    @Test("a mix of commands is parsed", arguments: ["ping", "get:90,set:10", "GET,set"])
    func commands(text: String) throws {
        #expect(try RESPPlan(text).mix.isEmpty == false)
    }

    @Test("an invalid command is rejected", arguments: ["", "del", "get:0", "get:1:2", "get,"])
    func wrongCommands(text: String) {
        #expect(throws: LoadFailure.self) { try RESPPlan(text) }
    }

    static let impossible: [(String, @Sendable (inout LoadPlan) throws -> Void)] = [
        ("no connection", { $0.connections = 0 }), ("no pipeline", { $0.pipeline = 0 }),
        ("no time", { $0.durationNanoseconds = 0 }),
        ("a duration without an end", { $0.durationNanoseconds = .max }),
        ("a warm-up without an end", { $0.warmupNanoseconds = .max }),
        ("a wait without an end", { $0.stallNanoseconds = .max }),
        ("an interval without an end", { $0.intervalNanoseconds = 7 * 86_400_000_000_000 + 1 }),
        ("no request", { $0.requests = 0 }),
        ("no rate", { $0.schedule = .constant(perSecond: 0) }),
        ("a ramp from no rate", { $0.schedule = .ramp(from: 0, to: 10) }),
        ("a ramp to no rate", { $0.schedule = .ramp(from: 10, to: -1) }),
        ("churn after 0 messages", { $0.messagesPerConnection = 0 }),
        (
            "too much memory",
            {
                $0.connections = 100_000
                $0.sizes = try MessageSizes("1000000")
            }
        ),
        (
            "datagrams too short for a number",
            {
                $0.targets = [try LoadTarget("udp://127.0.0.1:9")]
                $0.sizes = try MessageSizes("4")
            }
        ),
        (
            "churn with datagrams",
            {
                $0.targets = [try LoadTarget("udp://127.0.0.1:9")]
                $0.messagesPerConnection = 5
            }
        ),
        (
            "echo of a missing body",
            {
                $0.targets = [try LoadTarget("http://127.0.0.1:9/")]
                $0.http.body = .echo
            }
        ),
        (
            "two headers in one",
            {
                $0.targets = [try LoadTarget("http://127.0.0.1:9/")]
                $0.http.headers = ["a: b\nc: d"]
            }
        ),
        ("two lines in one", { $0.line = "a\nb" }),
        (
            "lines in datagrams",
            {
                $0.targets = [try LoadTarget("udp://127.0.0.1:9")]
                $0.line = "hi"
            }
        ),
        ("no target", { $0.targets = [] }),
    ]

    @Test("an invalid plan is rejected as wrong usage", arguments: impossible.indices)
    func impossiblePlan(index: Int) throws {
        var plan = try LoadPlan([try LoadTarget("tcp://127.0.0.1:7007")])
        try plan.check()
        let (name, change) = Self.impossible[index]
        try change(&plan)
        let failure = #expect(throws: LoadFailure.self, "\(name)") { try plan.check() }
        #expect(failure?.kind == .usage, "\(name)")
    }
}
