import Foundation
import Testing

/// ringload against correct and faulty servers.
@Suite("ringload", .watchdog)
struct RingloadTests {
    /// Ends when all messages are answered, however long a busy machine takes.
    static let shortLoad = [
        "--connections", "8", "--requests", "400", "--duration", "50s", "--warmup", "0s",
        "--stall-timeout", "50s",
    ]

    @Test(
        "measures a server and writes the report", arguments: Program.servers, Setting.usable)
    func measures(program: Program, setting: Setting) throws {
        let folder = Folder()
        try withServer(program, setting) { server in
            let process = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)", "--json", folder.path + "/report.json"]
                    + Self.shortLoad, setting)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            let text = process.output.text
            for word in ["p50 ", "p90 ", "p99 ", "p99.9 ", "max "] {
                #expect(text.contains(word), "no \(word)in \(text)")
            }
            #expect(text.contains("\nerrors      0\n"))
            try Self.check(
                try folder.object(named: "report.json"), port: server.port,
                backend: setting == .refused ? "epoll" : setting.rawValue)
            #expect(try folder.names() == ["report.json"], "leftovers")
        }
    }

    private static func check(_ report: [String: Any], port: UInt16, backend: String) throws {
        #expect(report["schema"] as? String == "ringload-report")
        #expect(report["version"] as? Int == 1)
        #expect(report["status"] as? String == "ok")
        let configuration = try #require(report["configuration"] as? [String: Any])
        #expect(configuration["target"] as? String == "tcp://127.0.0.1:\(port)")
        #expect(configuration["connections"] as? Int == 8)
        #expect(configuration["duration_seconds"] as? Double == 50)
        #expect(configuration["backend"] as? String == backend)
        let messages = try #require(report["messages"] as? Int)
        #expect(messages == 400)
        #expect(report["bytes_received"] as? Int ?? 0 >= messages * 63)
        let latency = try #require(report["latency_nanoseconds"] as? [String: Any])
        let ascending = try ["p50", "p90", "p99", "p99_9", "max"].map {
            try #require(latency[$0] as? Int)
        }
        #expect(ascending == ascending.sorted() && ascending[0] > 0, "\(ascending)")
        let histogram = try HistogramReader(try #require(latency["hdrhistogram"] as? String))
        #expect(histogram.totalCount == messages)
        #expect(histogram.lowest == 64 && histogram.highest == 60_000_000_000)
        let errors = try #require(report["errors"] as? [String: Any])
        #expect(errors["total"] as? Int == 0)
        #expect(errors["first"] is NSNull)
        #expect(report["client_processor"] is [String: Any])
    }

    @Test(
        "big messages under way side by side are all right", arguments: Program.servers,
        Setting.usable)
    func pipeline(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--size", "20000", "--pipeline", "4",
                ] + Self.shortLoad, setting)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        }
    }

    @Test("a ramp sends as many messages as its mean rate does", arguments: Setting.usable)
    func ramp(setting: Setting) throws {
        let folder = Folder()
        try withServer(.echoServer, setting) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--rate", "500..2500", "--connections", "8",
                    "--duration", "8s", "--warmup", "0s", "--stall-timeout", "50s",
                    "--json", folder.path + "/report.json",
                ], setting)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            let report = try folder.object(named: "report.json")
            // 1,500 a second, for 8 seconds; 4,000 and 20,000 are those of its two rates. The
            // measurement may begin a moment after the load.
            let messages = try #require(report["messages"] as? Int)
            #expect(abs(messages - 12_000) < 2_400)
            let open = try #require(report["open_loop"] as? [String: Any])
            #expect(open["unsent"] as? Int == 0)
        }
    }

    @Test("a refused connection is status 1, with a question", arguments: Setting.usable)
    func refusedConnection(setting: Setting) throws {
        let folder = Folder()
        let refusing = try LoopbackSocket.bound()
        let process = try Program.ringload.start(
            ["tcp://127.0.0.1:\(refusing.port)", "--json", folder.path + "/report.json"]
                + Self.shortLoad, setting)
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("connection refused: is the server running"))
        #expect(process.errors.text.contains("127.0.0.1:\(refusing.port)"))
        #expect(process.output.text.isEmpty)
        #expect(try folder.names() == [], "a report of nothing")
    }

    /// A server's fault, and its name in the report.
    struct Finding {
        let fault: FaultyServer.Fault
        let words: String
        let key: String
    }

    static let findings = [
        Finding(fault: .wrongBytes, words: "wrong bytes", key: "mismatches"),
        Finding(fault: .closes, words: "closed by the server", key: "closed_by_server"),
        Finding(fault: .neverAnswers, words: "no answer", key: "stalled"),
    ]

    @Test(
        "a server at fault is status 1, and the report says how", arguments: findings,
        Setting.usable)
    func faultyServer(expected: Finding, setting: Setting) throws {
        let folder = Folder()
        let server = try FaultyServer(expected.fault)
        // Long where an answer comes, so that a busy machine adds no stall.
        let stallTimeout = expected.fault == .neverAnswers ? "200ms" : "20s"
        let process = try Program.ringload.start(
            [
                "tcp://127.0.0.1:\(server.port)", "--connections", "1", "--duration", "400ms",
                "--warmup", "0s", "--stall-timeout", stallTimeout,
                "--json", folder.path + "/report.json",
            ], setting)
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        try server.stop()
        #expect(process.output.text.contains("errors      1 (\(expected.words) 1)"))
        #expect(process.output.text.contains("first error "))
        let report = try folder.object(named: "report.json")
        #expect(report["status"] as? String == "failed")
        let errors = try #require(report["errors"] as? [String: Any])
        #expect(errors[expected.key] as? Int == 1)
        #expect(errors["first"] is String)
    }

    @Test("an unwritable report file is an error before the load")
    func unwritableReport() throws {
        let refusing = try LoopbackSocket.bound()
        let process = try Program.ringload.start(
            ["tcp://127.0.0.1:\(refusing.port)", "--json", "/nowhere/at/all/report.json"])
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("--json /nowhere/at/all/report.json"))
        #expect(!process.errors.text.contains("refused"))
    }

    /// Starts ringload with its standard output redirected by a shell.
    private func start(_ arguments: [String], output: String) throws -> ChildProcess {
        try Program.start(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(output)", Program.ringload.path] + arguments)
    }

    @Test("a report that standard output does not take is an error, but not for its files")
    func fullOutput() throws {
        let folder = Folder()
        try withServer(.echoServer, .epoll) { server in
            let process = try start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--json", folder("report.json"),
                    "--fail-if", "p99>1ns",
                ] + Self.shortLoad, output: ">/dev/full")
            #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
            let errors = process.errors.text
            #expect(errors.contains("standard output: writing failed (No space"), "\(errors)")
            #expect(errors.contains("failed: p99>1ns: it is "), "\(errors)")
            #expect(try folder.object(named: "report.json")["status"] as? String == "ok")
        }
        let report = folder("report.json")
        let process = try start(["--compare", report, report], output: ">/dev/full")
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("standard output: writing failed"))
    }

    @Test("a reader of the report that is gone is no error")
    func readerGone() throws {
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.start(
                "/bin/bash",
                [
                    "-c", "set -o pipefail; \"$0\" \"$@\" | true",
                    Program.ringload.path, "tcp://127.0.0.1:\(server.port)", "--duration", "1s",
                    "--warmup", "0s",
                ])
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        }
    }

    @Test("a signal ends the load early, with its report", arguments: Setting.usable)
    func interrupted(setting: Setting) throws {
        try withServer(.echoServer, setting) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--connections", "1", "--duration", "1m",
                    "--warmup", "0s",
                ], setting)
            defer { process.send(SIGKILL) }
            // The first progress line: the run now measures.
            _ = try process.errors.waitForLine(beginning: "  ")
            process.send(SIGINT)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            #expect(process.output.text.contains("(interrupted)"))
            #expect(process.errors.text.contains("interrupted: waits for answers, up to 5s; "))
        }
    }

    @Test("a run that is killed leaves no files", arguments: [SIGKILL, SIGINT])
    func killed(signal: Int32) throws {
        let folder = Folder()
        let server = try FaultyServer(.neverAnswers)
        let process = try Program.ringload.start(
            [
                "tcp://127.0.0.1:\(server.port)", "--connections", "1", "--duration", "1m",
                "--warmup", "0s", "--stall-timeout", "1m", "--json", folder("report.json"),
            ])
        defer { process.send(SIGKILL) }
        _ = try process.errors.waitForLine(beginning: "  ")
        #expect(try folder.names() == [])
        process.send(signal)
        if signal == SIGINT {
            // It waits for the answer: a second signal ends it, once it is not part of the first.
            _ = try process.errors.waitForLine(beginning: "interrupted: ")
            while process.isRunning {
                process.send(signal)
                letPass(milliseconds: 50)
            }
        }
        #expect(try process.waitForEnd() == .signal(signal), "\(process.words)")
        #expect(try folder.names() == [])
        try server.stop()
    }

    @Test("a file that cannot be written at the end takes nothing else with it")
    func lostFolder() throws {
        let folder = Folder()
        folder.makeDirectory("lost")
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--connections", "1", "--duration", "1m",
                    "--warmup", "0s", "--json", folder("lost/report.json"), "--html",
                    folder("lost/report.html"), "--csv", folder("report.csv"), "--fail-if",
                    "p99>1ns",
                ])
            defer { process.send(SIGKILL) }
            _ = try process.errors.waitForLine(beginning: "  ")
            #expect(rmdir(folder("lost")) == 0)
            process.send(SIGINT)
            #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
            let errors = process.errors.text
            #expect(errors.contains("failed: p99>1ns: it is "), "\(errors)")
            for kind in ["json", "html"] {
                #expect(
                    errors.contains(
                        "Error: --\(kind) \(folder("lost/report.\(kind)")): cannot be written "
                            + "(No such file or directory); create its folder\n"), "\(errors)")
            }
            #expect(try folder.names() == ["report.csv"])
        }
    }

    @Test("a symbolic link to a report's file stays")
    func linkedReport() throws {
        let folder = Folder()
        folder.makeDirectory("elsewhere")
        folder.makeFile("elsewhere/report.json")
        #expect(symlink("elsewhere/report.json", folder("link.json")) == 0)
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)", "--json", folder("link.json")]
                    + Self.shortLoad)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        }
        var status = stat()
        #expect(lstat(folder("link.json"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        let report = try folder.object(named: "elsewhere/report.json")
        #expect(report["status"] as? String == "ok")
    }

    @Test("a signal in the first step of a sweep ends it with that step's report")
    func interruptedFirstStep() throws {
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--sweep", "20..40", "--connections", "1",
                    "--duration", "1m", "--warmup", "0s",
                ])
            defer { process.send(SIGKILL) }
            _ = try process.errors.waitForLine(beginning: "  ")
            process.send(SIGINT)
            #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
            #expect(process.output.text.contains("(interrupted)"))
            #expect(!process.output.text.contains("best rate"))
        }
    }

    @Test(
        "a later step of a sweep that ends early leaves the best step so far",
        arguments: [true, false])
    func endedConnecting(byInterrupt: Bool) throws {
        try withServer(.echoServer, .epoll) { server in
            let process = try Program.ringload.start(
                [
                    "tcp://127.0.0.1:\(server.port)", "--sweep", "20..40", "--until", "p99<50s",
                    "--duration", "1s", "--warmup", "0s", "--connections", "40",
                    "--connect-rate", "8",
                ])
            defer { process.send(SIGKILL) }
            // The second step begins with five seconds of connecting.
            try process.errors.wait(for: "   kept\n")
            byInterrupt ? process.send(SIGINT) : server.process.send(SIGKILL)
            #expect(try process.waitForEnd() == .exit(byInterrupt ? 0 : 1), "\(process.words)")
            let best = "best rate   20 messages/s keep p99<50s"
            #expect(
                process.output.text.hasPrefix(best + (byInterrupt ? " (interrupted)\n" : "\n")),
                "\(process.words)")
            #expect(process.errors.text.contains("connection refused") != byInterrupt)
        }
    }
}
