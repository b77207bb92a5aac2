import Glibc
import Testing

/// Programs in containers: as process 1, and on a read-only file system.
@Suite(
    "Containers", .watchdog,
    .enabled(if: Container.isAllowed, "this system allows no namespaces to its users"))
struct ContainerTests {
    static let nothing = ":"
    static let readOnly =
        "mount -o remount,bind,ro / && ! touch /is-writable 2>/dev/null || exit 99"

    @Test("SIGTERM lets the first process drain its clients", arguments: Setting.usable)
    func drain(setting: Setting) throws {
        try withContainedServer(.echoServer, setting, after: Self.nothing) { container, server in
            let client = try server.connectAndGreet()
            try container.send(SIGTERM)
            #expect(try client.receiveUntilEnd() == [])
            #expect(try container.process.waitForEnd() == .exit(0))
            #expect(container.process.output.text.contains("served 1 connections"))
        }
        try withContainedServer(.keyValueServer, setting, after: Self.nothing) { container, _ in
            try container.send(SIGTERM)
            #expect(try container.process.waitForEnd() == .exit(0))
        }
    }

    @Test("a second SIGTERM ends the first process at once")
    func impatience() throws {
        let arguments = ["--drain", "1h"]
        try withContainedServer(
            .echoServer, .epoll, arguments: arguments, after: Self.nothing
        ) { container, server in
            let stuck = try server.connect()
            // `server.process` is the program that made the container, which always sleeps.
            _ = try server.fill(
                stuck, patternBytes(16 * 1024 * 1024), at: container.firstProcess())
            try container.send(SIGTERM)
            let deadline = Deadline()
            while let _ = try? server.connect() {
                if deadline.isOver { throw Trouble("the server still accepts after SIGTERM") }
            }
            // Earlier, it would count as the first one.
            letPass(milliseconds: 250)
            try container.send(SIGTERM)
            #expect(try container.process.waitForEnd() == .exit(128 + SIGTERM))
        }
    }

    @Test("SIGTERM ends a first process that handles no signals", arguments: Setting.usable)
    func unhandled(setting: Setting) throws {
        try withContainedServer(.gcdEcho, setting, after: Self.nothing) { container, server in
            _ = try server.connectAndGreet()
            try container.send(SIGTERM)
            #expect(try container.process.waitForEnd() == .exit(128 + SIGTERM))
        }
    }

    @Test(
        "without inotify watches for its paths, FileWatchServer names the limit and does not start")
    func watchLimit() throws {
        let folder = WatchedFolder(temporary: Folder())
        let container = try Container(
            .fileWatchServer, ["--port", "0", "--http-port", "0", folder.path], .epoll,
            after: "echo 0 >/proc/sys/user/max_inotify_watches")
        defer { container.process.send(SIGKILL) }
        #expect(try container.process.waitForEnd() == .exit(1))
        #expect(container.process.errors.text.contains("user.max_inotify_watches = 0"))
        #expect(!container.process.output.text.contains("listening"))
    }

    @Test("a path without a watch is noticed when the watches end elsewhere")
    func watchLimitBelow() throws {
        let folder = WatchedFolder(temporary: Folder())
        for name in ["a", "b", "b/1", "b/2", "b/3", "b/4"] { try folder.make(folder: name) }
        let container = try Container(
            .fileWatchServer,
            ["--port", "0", "--http-port", "0", folder.path + "/a", folder.path + "/b"], .epoll,
            after: "echo 6 >/proc/sys/user/max_inotify_watches")
        defer { container.process.send(SIGKILL) }
        #expect(try container.process.waitForEnd() == .exit(1))
        #expect(!container.process.output.text.contains("listening"))
    }

    @Test("the first process reaps orphans", arguments: Program.servers)
    func orphans(program: Program) throws {
        // One orphan ends before the program has started, the other after.
        let orphans = "(true &)\n(sleep 0.3 &)"
        try withContainedServer(program, .epoll, after: orphans) { container, server in
            _ = try server.connectAndGreet()
            let deadline = Deadline()
            while try !container.childrenOfFirstProcess().isEmpty {
                if deadline.isOver { throw Trouble("a zombie remains") }
                letPass(milliseconds: 5)
            }
        }
    }

    @Test("SIGTERM ends the first process while it starts")
    func endedInStart() throws {
        let folder = Folder(.temporary)
        // Nobody writes to it, so that looking up a name waits.
        let hosts = "mkfifo \(folder.path)/hosts && mount --bind \(folder.path)/hosts /etc/hosts"
        let container = try Container(
            .echoServer, ["--port", "0", "--host", "server.example"], .epoll, after: hosts)
        defer { container.process.send(SIGKILL) }
        _ = try container.process.errors.waitForLine(beginning: "RingDispatch: ")
        try container.send(SIGTERM)
        #expect(try container.process.waitForEnd() == .exit(143), "\(container.process.words)")
    }

    @Test("FileWatchServer as the first process knows how its command has ended")
    func command() throws {
        let folder = WatchedFolder(temporary: Folder())
        let options = ["--port", "0", "--http-port", "0", "--run", "exit 3"]
        let container = try Container(
            .fileWatchServer, [folder.path] + options, .epoll, after: "trap '' CHLD")
        _ = try container.process.output.waitForLine(beginning: "listening on ")
        try folder.write("file")
        let ending = "FileWatchServer: ended with status 3 after "
        _ = try container.process.errors.waitForLine(beginning: ending)
        try container.send(SIGTERM)
        #expect(try container.process.waitForEnd() == .exit(0), "\(container.process.words)")
    }

    @Test(
        "the servers work on a read-only file system",
        arguments: Program.servers + [.keyValueServer], Setting.usable)
    func readOnlyServer(program: Program, setting: Setting) throws {
        try withContainedServer(program, setting, after: Self.readOnly) { container, server in
            if program == .keyValueServer {
                let client = try server.connect()
                try client.send(Array("PING\r\n".utf8))
                #expect(try client.receive(count: 7) == Array("+PONG\r\n".utf8))
            } else {
                _ = try server.connectAndGreet()
            }
            let errors = container.process.errors
            let line = try errors.waitForLine(beginning: "RingDispatch: ")
            #expect(line.hasPrefix(setting.backendName + " back end, "))
            #expect(errors.text.split(separator: "\n").count == 1, "\(errors.text)")
        }
    }

    @Test("ringload works on a read-only file system", arguments: Setting.usable)
    func readOnlyClient(setting: Setting) throws {
        try withServer(.gcdEcho, .epoll) { server in
            let client = try Container(
                .ringload, ["tcp://127.0.0.1:\(server.port)"] + RingloadTests.shortLoad, setting,
                after: Self.readOnly)
            #expect(try client.process.waitForEnd() == .exit(0), "\(client.process.words)")
        }
    }
}
