import LoadTesting
import Testing

/// What a plan may ask for.
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

    @Test("a target is read, and written as it was meant", arguments: targets)
    func target(text: String, meaning: String) throws {
        #expect(try LoadTarget(text).description == meaning)
    }

    @Test(
        "what is no target is told",
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
        "what is no size is told",
        arguments: ["", "0", "-1", "x", "9..1", "0..5", "64:", "64:0", "64:1,", "99999999999"])
    func wrongSize(text: String) {
        #expect(throws: LoadFailure.self) { try MessageSizes(text) }
    }

    @Test("commands of a mix are read", arguments: ["ping", "get:90,set:10", "GET,set"])
    func commands(text: String) throws {
        #expect(try RESPPlan(text).mix.isEmpty == false)
    }

    @Test("what is no command is told", arguments: ["", "del", "get:0", "get:1:2", "get,"])
    func wrongCommands(text: String) {
        #expect(throws: LoadFailure.self) { try RESPPlan(text) }
    }

    static let impossible: [(String, @Sendable (inout LoadPlan) throws -> Void)] = [
        ("no connection", { $0.connections = 0 }), ("no pipeline", { $0.pipeline = 0 }),
        ("no time", { $0.durationNanoseconds = 0 }), ("no request", { $0.requests = 0 }),
        ("no rate", { $0.schedule = .constant(perSecond: 0) }),
        ("churn after nothing", { $0.messagesPerConnection = 0 }),
        (
            "more memory than there is",
            {
                $0.connections = 100_000
                $0.sizes = try MessageSizes("1000000")
            }
        ),
        (
            "datagrams that cannot be told apart",
            {
                $0.targets = [try LoadTarget("udp://127.0.0.1:9")]
                $0.sizes = try MessageSizes("4")
            }
        ),
        (
            "datagrams in connections",
            {
                $0.targets = [try LoadTarget("udp://127.0.0.1:9")]
                $0.messagesPerConnection = 5
            }
        ),
        (
            "a body to compare with none",
            {
                $0.targets = [try LoadTarget("http://127.0.0.1:9/")]
                $0.http.body = .echo
            }
        ),
        (
            "a header that is two",
            {
                $0.targets = [try LoadTarget("http://127.0.0.1:9/")]
                $0.http.headers = ["a: b\nc: d"]
            }
        ),
        ("no target", { $0.targets = [] }),
    ]

    @Test("a plan that cannot be is wrong usage, in words", arguments: impossible.indices)
    func impossiblePlan(index: Int) throws {
        var plan = try LoadPlan([try LoadTarget("tcp://127.0.0.1:7007")])
        try plan.check()
        let (name, change) = Self.impossible[index]
        try change(&plan)
        let failure = #expect(throws: LoadFailure.self, "\(name)") { try plan.check() }
        #expect(failure?.kind == .usage, "\(name)")
    }
}
