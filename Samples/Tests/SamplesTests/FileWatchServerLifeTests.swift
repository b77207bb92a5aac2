import Glibc
import Testing

/// The start and end of FileWatchServer, and its --run command.
@Suite("FileWatchServer's life", .watchdog)
struct FileWatchServerLifeTests {
    @Test("A missing path ends it with status 1 and the path's name")
    func missingPath() throws {
        let place = Folder()
        let missing = place.path + "/not there"
        let process = try Program.fileWatchServer.start(
            [place.path, missing, "--port", "0", "--http-port", "0"])
        defer { process.send(SIGKILL) }
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains(missing))
        #expect(process.output.text.isEmpty)
    }

    @Test("A taken port ends it with status 1", arguments: ["--port", "--http-port"])
    func takenPort(option: String) throws {
        let place = Folder()
        let taken = try LoopbackSocket.listening()
        let other = option == "--port" ? "--http-port" : "--port"
        let process = try Program.fileWatchServer.start(
            [place.path, option, String(taken.port), other, "0"])
        defer { process.send(SIGKILL) }
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("127.0.0.1:\(taken.port)"))
    }

    @Test(
        "Wrong options end it with status 64",
        arguments: [
            [], ["."], ["/", "--window", "soon"], ["/", "--history", "0"],
            ["/", "--port", "65536"],
            ["/", "--bogus"], [""],
        ])
    func wrongOptions(arguments: [String]) throws {
        let wrong = arguments == ["."] ? [".", "--window", "-1"] : arguments
        let process = try Program.fileWatchServer.start(wrong)
        defer { process.send(SIGKILL) }
        #expect(try process.waitForEnd() == .exit(64), "\(process.words)")
        #expect(process.output.text.isEmpty)
    }

    @Test("A signal ends it with status 0 and a summary", arguments: [SIGTERM, SIGINT])
    func signals(signal: Int32) throws {
        try withFileWatchServer { server in
            let client = try server.connect()
            let stream = try server.events()
            try server.folder.write("a")
            _ = try client.event(of: server.folder.path("a"))
            _ = try stream.next()
            #expect(try server.end(by: signal) == .exit(0), "\(server.process.words)")
            #expect(try client.line() == nil)
            #expect(
                server.process.output.text.contains("reported 1 changes to 2 clients"),
                "\(server.process.words)")
        }
    }

    private static let snapshotRequest = Array(
        "GET /snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)

    @Test("A snapshot that is under way at a signal is completed")
    func snapshotAtSignal() throws {
        // More than the buffers of the connection hold.
        let prepare = { (folder: WatchedFolder) in
            let name = String(repeating: "e", count: 200)
            for number in 1...1400 { try folder.write("\(number) \(name)") }
        }
        try withFileWatchServer(in: .memory, prepare: prepare) { server in
            let client = try Client(port: server.httpPort)
            try client.send(Self.snapshotRequest)
            var bytes = try client.receive(count: 1000)
            let deadline = Deadline()
            var restingTicks = 0
            while restingTicks < 5 {
                let isAsleep = try ProcessInformation.isAsleep(server.process.processID)
                restingTicks = isAsleep ? restingTicks + 1 : 0
                if deadline.isOver { throw Trouble("the buffers are never full") }
                letPass(milliseconds: 10)
            }
            server.process.send(SIGTERM)
            while (try? Client(port: server.httpPort)) != nil {
                if deadline.isOver { throw Trouble("clients are not refused") }
            }
            bytes += try client.receiveUntilEnd()
            #expect(bytes.suffix(3).elementsEqual("]}\n".utf8), "\(bytes.count) bytes")
            #expect(try server.process.waitForEnd() == .exit(0), "\(server.process.words)")
        }
    }

    @Test("All snapshots that have begun before a signal have all files")
    func snapshotsAtSignal() throws {
        let names = (1...20).map { "file \($0)" }
        try withFileWatchServer(prepare: { for name in names { try $0.write(name) } }) { server in
            let clients = try (0..<50).map { _ in try Client(port: server.httpPort) }
            for client in clients { try client.send(Self.snapshotRequest) }
            _ = try clients[0].receive(count: 1)
            server.process.send(SIGTERM)
            for client in clients.dropFirst() {
                var (bytes, last) = ([UInt8](), Client.Received.nothing)
                repeat {
                    last = try client.receiveSome(until: Deadline())
                    if case .bytes(let part) = last { bytes += part }
                } while last != .end && last != .reset
                // The server may not have read the request, or has too many of them.
                let text = String(decoding: bytes, as: UTF8.self)
                guard !bytes.isEmpty, !text.hasPrefix("HTTP/1.1 503 ") else { continue }
                let isComplete = names.allSatisfy(text.contains) && text.hasSuffix("]}\n")
                #expect(isComplete, "\(bytes.count) bytes")
            }
        }
    }

    @Test("Changes of ignored files are not reported")
    func ignoring() throws {
        let arguments = ["--ignore", "*.tmp", "--ignore", ".git/"]
        try withFileWatchServer(arguments: arguments, prepare: { try $0.make(folder: ".git") }) {
            server in
            let client = try server.connect()
            for name in ["a.tmp", ".git/index", "b"] { try server.folder.write(name) }
            #expect(try client.event().path == server.folder.path("b"))
        }
    }

    @Test(
        "--run runs a command when changes have settled, one at a time",
        arguments: Setting.usable)
    func running(setting: Setting) throws {
        let place = Folder()
        // Concurrent cases would create the same folder.
        let command = """
            mkdir \(place.path)/one || echo twice; echo "saw $FILE_WATCH_CHANGES"; sleep 0.2; \
            rmdir \(place.path)/one; echo done >&2
            """
        let arguments = ["--run", command, "--settle", "100ms"]
        try withFileWatchServer(setting, arguments: arguments) { server in
            let output = server.process.output
            for number in 1...5 { try server.folder.write("\(number)") }
            _ = try output.waitForLine(beginning: "saw ")
            try server.folder.write("6")
            let errors = server.process.errors
            _ = try errors.waitForLine(beginning: "done")
            let deadline = Deadline()
            while Self.seen(output.text) < 6, !deadline.isOver { letPass(milliseconds: 10) }
            #expect(Self.seen(output.text) == 6)
            // The last run ends by itself.
            let runs = Self.count("saw ", in: output)
            while Self.count("FileWatchServer: succeeded", in: errors) < runs, !deadline.isOver {
                letPass(milliseconds: 10)
            }
            #expect(!output.text.contains("twice"))
            #expect(try server.end() == .exit(0), "\(server.process.words)")
            #expect(output.text.contains("\(runs) runs succeeded, 0 failed"))
        }
    }

    @Test("The command of --run has the environment of the server's start")
    func environment() throws {
        let command = "echo loops=$RINGDISPATCH_LOOPS backend=$RINGDISPATCH_BACKEND"
        let arguments = ["--loops", "1", "--backend", "auto", "--run", command, "--settle", "1ms"]
        try withFileWatchServer(.epoll, arguments: arguments) { server in
            try server.folder.write("a")
            let line = try server.process.output.waitForLine(beginning: "loops=")
            #expect(line == " backend=epoll")
        }
    }

    private static func count(_ beginning: String, in transcript: Transcript) -> Int {
        transcript.text.split(separator: "\n").filter { $0.hasPrefix(beginning) }.count
    }

    /// The sum of the changes of all runs.
    private static func seen(_ output: String) -> Int {
        output.split(separator: "\n").filter { $0.hasPrefix("saw ") }
            .compactMap { Int($0.dropFirst(4)) }.reduce(0, +)
    }

    @Test("A failing command is reported; a running one is ended with its children at the end")
    func endingCommand() throws {
        let arguments = ["--run", "echo begun $$; sleep 100 | cat; exit 3", "--settle", "1ms"]
        try withFileWatchServer(arguments: arguments) { server in
            try server.folder.write("a")
            let number = try server.process.output.waitForLine(beginning: "begun ")
            #expect(try server.end() == .exit(0), "\(server.process.words)")
            let process = try #require(Int32(number))
            let deadline = Deadline()
            while try ProcessInformation.isAlive(group: process), !deadline.isOver {
                letPass(milliseconds: 10)
            }
            #expect(try !ProcessInformation.isAlive(group: process))
            #expect(server.process.errors.text.contains("ended by signal 15"))
        }
        try withFileWatchServer(arguments: ["--run", "exit 3", "--settle", "1ms"]) { server in
            try server.folder.write("a")
            _ = try server.process.errors.waitForLine(
                beginning: "FileWatchServer: ended with status 3 after ")
            #expect(try server.end() == .exit(0), "\(server.process.words)")
        }
    }

    @Test("A child of the command that ignores SIGTERM does not outlive the server")
    func stubbornChild() throws {
        let command = "sh -c 'trap \"\" TERM; echo begun; exec sleep 100'; true"
        try withFileWatchServer(arguments: ["--run", "echo $$; \(command)"]) { server in
            let output = server.process.output
            try server.folder.write("a")
            _ = try output.waitForLine(beginning: "begun")
            let lines = output.text.split(separator: "\n")
            let group = try #require(lines.compactMap { Int32($0) }.first)
            #expect(try server.end() == .exit(0), "\(server.process.words)")
            let deadline = Deadline()
            while try ProcessInformation.isAlive(group: group), !deadline.isOver {
                letPass(milliseconds: 10)
            }
            #expect(try !ProcessInformation.isAlive(group: group))
        }
    }

    @Test("A root that is deleted and created again is watched again")
    func rootAgain() throws {
        try withFileWatchServer(prepare: { try $0.make(folder: "x") }) { server in
            let folder = server.folder
            let client = try server.connect()
            #expect(rmdir(folder.path("x")) == 0)
            #expect(try client.event(of: folder.path("x")).event == "removed")
            #expect(rmdir(folder.path) == 0)
            #expect(try client.event(of: folder.path).event == "removed")
            #expect(mkdir(folder.path, 0o755) == 0)
            #expect(try client.event(of: folder.path).event == "created")
            try folder.write("a")
            #expect(try client.event(of: folder.path("a")).event == "created")
        }
    }
}
