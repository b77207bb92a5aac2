import Glibc
import Testing

/// How the servers end.
@Suite("Stopping", .waitingWatchdog)
struct ShutdownTests {
    @Test(
        "EchoServer ends at a signal with a summary and status 0",
        arguments: [SIGTERM, SIGINT], Setting.usable)
    func summary(signal: Int32, setting: Setting) throws {
        try withServer(.echoServer, setting) { server in
            let gone = try server.connectAndGreet()
            try gone.closeOutput()
            #expect(try gone.receiveUntilEnd() == [])
            let open = try server.connectAndGreet()
            #expect(try server.end(by: signal) == .exit(0), "\(server.process.words)")
            // Open connections are closed.
            #expect(try open.receiveUntilEnd() == [])
            let lines = server.process.output.text.split(separator: "\n")
            #expect(lines.last == "served 2 connections, 2 messages, 10 bytes")
        }
    }

    static let summarizing = [
        Program.echoServer, .chatServer, .fileWatchServer, .keyValueServer,
    ]

    @Test("A reader of standard output that is gone changes nothing", arguments: summarizing)
    func readerGone(program: Program) throws {
        let folder = Folder()
        let pipe = folder("output")
        #expect(mkfifo(pipe, 0o600) == 0)
        let others = program == .fileWatchServer ? ["--http-port", "0", folder.path] : []
        let process = try Program.start(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" >\"$OUTPUT\"", program.path] + program.freePort + others,
            environment: ["OUTPUT=\(pipe)"])
        defer { process.send(SIGKILL) }
        let reader = open(pipe, O_RDONLY | O_CLOEXEC)
        #expect(reader >= 0)
        var byte: UInt8 = 0
        while read(reader, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
        close(reader)
        process.send(SIGTERM)
        #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
    }

    @Test("EchoServer ends even if a client does not read", arguments: Setting.usable)
    func stuckClient(setting: Setting) throws {
        // The default is five seconds, which one case tests.
        let arguments = setting == .epoll ? [] : ["--drain", "300ms"]
        try withServer(.echoServer, setting, arguments: arguments) { server in
            let stuck = try server.connect()
            let sent = try server.fill(stuck, patternBytes(16 * 1024 * 1024))
            #expect(sent > 0)
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains("served 1 connections"))
        }
    }

    @Test("A signal that comes twice, as timeout(1) sends it, ends EchoServer in order")
    func twice() throws {
        try withServer(.echoServer, .epoll, arguments: ["--drain", "300ms"]) { server in
            let stuck = try server.connect()
            _ = try server.fill(stuck, patternBytes(16 * 1024 * 1024))
            server.process.send(SIGTERM)
            letPass(milliseconds: 10)
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains("served 1 connections"))
        }
    }

    @Test("EchoServer ends before it had a client", arguments: Setting.usable)
    func unused(setting: Setting) throws {
        try withServer(.echoServer, setting) { server in
            let ending = try server.end(by: SIGINT)
            #expect(ending == .exit(0), "\(server.process.words)")
            let lines = server.process.output.text.split(separator: "\n")
            #expect(lines.last == "served 0 connections, 0 messages, 0 bytes")
        }
    }

    @Test("GCDEcho runs until it is killed", arguments: Setting.usable)
    func killed(setting: Setting) throws {
        try withServer(.gcdEcho, setting) { server in
            _ = try server.connectAndGreet()
            #expect(try server.end(by: SIGTERM) == .signal(SIGTERM))
        }
    }
}
