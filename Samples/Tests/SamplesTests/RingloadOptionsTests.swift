import Foundation
import Testing

/// The load client's options: what they do with real servers, and what does not go together.
@Suite("ringload's options", .watchdog)
struct RingloadOptionsTests {
    /// Ends when all messages are answered, however long a busy machine takes.
    static let shortLoad = [
        "--connections", "4", "--requests", "300", "--duration", "50s", "--warmup", "0s",
        "--stall-timeout", "50s",
    ]

    static let wrongUsages: [[String]] = [
        ["ftp://127.0.0.1:7007"], ["tcp://127.0.0.1:7007/path"], ["unix:"],
        ["tcp://127.0.0.1:7007", "--poisson"],
        ["tcp://127.0.0.1:7007", "--rate", "fast"],
        ["tcp://127.0.0.1:7007", "--rate", "0"],
        ["tcp://127.0.0.1:7007", "--size", "9..1"],
        ["tcp://127.0.0.1:7007", "--churn", "0"],
        ["tcp://127.0.0.1:7007", "--requests", "0"],
        ["tcp://127.0.0.1:7007", "--hostile", "rude"],
        ["tcp://127.0.0.1:7007", "--source", "here"],
        ["tcp://127.0.0.1:7007", "--fail-if", "p99=5ms"],
        ["tcp://127.0.0.1:7007", "--sweep", "10k"],
        ["tcp://127.0.0.1:7007", "--sweep", "1k..2k", "--rate", "5k"],
        ["tcp://127.0.0.1:7007", "--json", "/tmp/x", "--html", "/tmp/x"],
        ["udp://127.0.0.1:7007", "--size", "4"],
        ["udp://127.0.0.1:7007", "--churn", "5"],
        ["http://127.0.0.1:7007/", "--http-method", "brew"],
        ["http://127.0.0.1:7007/", "--http-body", "echo"],
        ["resp://127.0.0.1:7007", "--commands", "del"],
        ["http://127.0.0.1:7007/", "--lines", "hello"],
        ["--compare", "/tmp/one.json"],
    ]

    @Test("invalid options and combinations are status 64 with a message", arguments: wrongUsages)
    func wrongUsage(arguments: [String]) throws {
        let process = try Program.ringload.start(arguments)
        #expect(try process.waitForEnd() == .exit(64), "\(process.words)")
        #expect(process.errors.text.contains("Error: "))
        #expect(process.output.text.isEmpty)
    }

    static let explanations: [(String, String)] = [
        ("--conections 3", "Unknown option '--conections'. Did you mean '--connections'?"),
        ("--rate -5", "The value '-5' is invalid for '--rate <rate>'"),
        ("--rate -5", "messages per second"),
        ("--connections -5", "--connections -5: must be 0 to 1000000 connections"),
        ("--pipeline 0", "must be 1 to 4096 messages in flight"),
        ("--requests 0", "must be 1 message or more"),
        ("--churn 0", "must be 1 message or more"),
        ("--connect-rate 0", "Connections to start per second, above 0"),
        ("--duration 10", "500ms, 10s, 2m"),
        ("--stall-timeout 0s", "must be longer than 0 s"),
        ("--size 0", "must be 1 to 16777216 bytes"),
        ("--hostile reset --hostile-connections -1", "must be 0 to 1000000 connections"),
        ("--sweep 10k", "a range of messages per second, as in 10k..200k"),
        ("--loops 0", "must be 1 to 256 event loops"),
        ("--fail-if p99>5", "a time needs a unit (ns, us, ms, s)"),
        ("--rate 1k..", "messages per second, above 0, on schedule: 5000, 50k, 1m; or a ramp"),
        ("--rate 0..5k", "or a ramp over the measured time: 1k..50k"),
        ("--server-cpu", "--server-cpu needs a fixed --rate of messages per second"),
        ("--server-cpu --rate 1k..2k", "--server-cpu needs a fixed --rate of messages per second"),
        ("--fail-if cpu>20us", "name the server's process with --pid, or let --server-cpu find it"),
    ]

    @Test("the message names the wrong option, and the value's unit", arguments: explanations)
    func explanation(words: String, explanation: String) throws {
        let process = try Program.ringload.start(
            ["tcp://127.0.0.1:7007"] + words.split(separator: " ").map(String.init))
        #expect(try process.waitForEnd() == .exit(64), "\(process.words)")
        #expect(process.errors.text.contains(explanation), "\(process.words)")
    }

    @Test("--compare says what differs between the two runs")
    func comparison() throws {
        let folder = Folder()
        try withServer(.echoServer, .epoll) { server in
            for connections in ["1", "2"] {
                let process = try Program.ringload.start(
                    [
                        "tcp://127.0.0.1:\(server.port)", "--connections", connections,
                        "--requests", "100", "--duration", "50s", "--warmup", "0s",
                        "--json", folder.path + "/\(connections).json",
                    ])
                #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            }
        }
        let compared = try Program.ringload.start(
            ["--compare", folder.path + "/1.json", folder.path + "/2.json"])
        #expect(try compared.waitForEnd() == .exit(0), "\(compared.words)")
        #expect(
            compared.output.text.hasPrefix("warning: the runs differ: connections 1 and 2"),
            "\(compared.words)")
    }

    @Test("an open loop writes its report in each format", arguments: Setting.usable)
    func reports(setting: Setting) throws {
        let folder = Folder()
        try withServer(.echoServer, setting) { server in
            func file(_ kind: String) -> String { folder.path + "/report." + kind }
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--rate", "1k", "--json", file("json"),
                    "--html", file("html"), "--hgrm", file("hgrm"), "--csv", file("csv"),
                    "--pid", "\(server.process.processID)",
                ] + Self.shortLoad, setting)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            for line in ["\nservice ", "\nlateness ", "\nserver CPU ", "\nerrors      0"] {
                #expect(process.output.text.contains(line), "\(process.output.text)")
            }
            let report = try folder.object(named: "report.json")
            #expect(report["open_loop"] is [String: Any])
            #expect(report["server_processor"] is [String: Any])
            #expect(try folder.names().count == 4)
            let comparison = try Program.ringload.start(["--compare", file("json"), file("json")])
            #expect(try comparison.waitForEnd() == .exit(0), "\(comparison.words)")
            #expect(comparison.output.text.contains("messages/s"))
        }
    }

    @Test("an empty RINGDISPATCH_BACKEND counts as unset: the client uses epoll")
    func emptyBackend() throws {
        let folder = Folder()
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)", "--json", folder("report.json")]
                    + Self.shortLoad, environment: ["RINGDISPATCH_BACKEND="])
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        }
        let report = try folder.object(named: "report.json")
        let configuration = try #require(report["configuration"] as? [String: Any])
        #expect(configuration["backend"] as? String == "epoll")
        let environment = try #require(report["environment"] as? [String: Any])
        #expect(environment["client_backend"] as? String == "epoll")
    }

    @Test("--server-cpu finds the server's process, and reports its CPU time for a message")
    func serverProcessor() throws {
        let folder = Folder()
        let path = folder.path + "/echo.sock"
        try withServer(.echoServer, .epoll, arguments: ["--udp", "--unix", path]) { server in
            let targets = ["tcp://127.0.0.1:\(server.port)", "udp://127.0.0.1:\(server.port)"]
            for target in targets + ["unix:\(path)"] {
                let process = try Program.ringload.start(
                    [target, "--server-cpu", "--rate", "500", "--fail-if", "cpu>10s"]
                        + Self.shortLoad)
                let ending = try process.waitForEnd()
                // A busy machine does not keep the rate.
                let isKept = !process.errors.text.contains("--server-cpu: the server answered")
                #expect(ending == .exit(isKept ? 0 : 1), "\(process.words)")
                #expect(
                    process.output.text.contains(
                        " µs a message at 500 messages/s, process \(server.process.processID)\n"),
                    "\(process.words)")
            }
        }
        let none = try Program.ringload.start(
            ["unix:\(path)", "--server-cpu", "--rate", "500"] + Self.shortLoad)
        #expect(try none.waitForEnd() == .exit(1), "\(none.words)")
        #expect(none.errors.text.contains("nothing listens there; start the server first"))
        let far = try Program.ringload.start(
            ["tcp://192.0.2.1:7007", "--server-cpu", "--rate", "500"] + Self.shortLoad)
        #expect(try far.waitForEnd() == .exit(1), "\(far.words)")
        #expect(far.errors.text.contains("name its process with --pid"), "\(far.words)")
    }

    @Test("--fail-if is status 1 if it holds, and prints the figure")
    func condition() throws {
        try withServer(.echoServer, .epoll) { server in
            for (condition, ending) in [("p99>1ns", Ending.exit(1)), ("p99>50s", .exit(0))] {
                let process = try Program.ringload.start(
                    [
                        "tcp://127.0.0.1:\(server.port)", "--fail-if", condition,
                        "--rate", "200", "--duration", "300ms", "--warmup", "50ms",
                    ])
                #expect(try process.waitForEnd() == ending, "\(process.words)")
                let isReported = process.errors.text.contains("failed: \(condition): it is ")
                #expect(isReported == (ending == .exit(1)))
            }
        }
    }

    @Test("a sweep may send at random intervals")
    func randomSweep() throws {
        let folder = Folder()
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--sweep", "20..20", "--poisson",
                    "--until", "p99<50s", "--connections", "4", "--duration", "1s",
                    "--json", folder.path + "/report.json",
                ])
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            #expect(process.output.text.hasPrefix("best rate   20 messages/s keep p99<50s\n"))
            let report = try folder.object(named: "report.json")
            let configuration = try #require(report["configuration"] as? [String: Any])
            #expect(configuration["is_poisson"] as? Bool == true)
        }
    }

    @Test("datagrams and the metrics page can be loaded", arguments: Setting.usable)
    func otherTargets(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--udp", "--http-port", "0"]) { server in
            let figures = try server.process.output.waitForLine(beginning: "metrics on ")
            let targets = ["udp://127.0.0.1:\(server.port)", figures]
            for target in targets {
                let process = try Program.ringload.start([target] + Self.shortLoad, setting)
                #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
                #expect(process.output.text.contains("\nerrors      0"))
            }
        }
    }

    @Test("lines are counted, and the report has their size", arguments: Setting.usable)
    func lines(setting: Setting) throws {
        try withServer(.echoServer, setting) { server in
            let process = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)", "--lines", "hello", "--pipeline", "4"]
                    + Self.shortLoad, setting)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            #expect(process.output.text.contains("\nmessages    300\n"), "\(process.words)")
            #expect(process.output.text.contains(" 6 bytes a message"), "\(process.words)")
        }
    }

    @Test("a store's values are checked", arguments: Setting.usable)
    func store(setting: Setting) throws {
        try withServer(.keyValueServer, setting) { server in
            for commands in ["ping", "get:50,set:50"] {
                let process = try Program.ringload.start(
                    [
                        "resp://127.0.0.1:\(server.port)", "--commands", commands, "--keys", "50",
                        "--pipeline", "4", "--size", "1..300",
                    ] + Self.shortLoad, setting)
                #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
                #expect(process.output.text.contains("\nerrors      0"))
            }
        }
    }
}
