import Glibc
import Testing

/// `--check`, the health check for container engines and people.
@Suite("Health check", .waitingWatchdog)
struct HealthCheckTests {
    private func ask(
        _ program: Program, port: UInt16, _ arguments: [String] = []
    ) throws -> ChildProcess {
        try program.start(["--port", String(port), "--check"] + arguments)
    }

    /// Asks until the answer is not late: on a busy machine, a check's time may be too short.
    private func waitForAnswer(
        _ ask: () throws -> ChildProcess
    ) throws -> (ChildProcess, Ending) {
        let deadline = Deadline()
        while true {
            let check = try ask()
            let ending = try check.waitForEnd()
            let isLate = check.errors.text.contains("no answer in time")
            if !isLate || deadline.isOver { return (check, ending) }
        }
    }

    @Test("EchoServer passes in each of its modes", arguments: ["echo", "discard", "chargen"])
    func modes(mode: String) throws {
        let arguments = ["--mode", mode]
        try withServer(.echoServer, .epoll, arguments: arguments) { server in
            let (check, ending) = try waitForAnswer {
                try ask(.echoServer, port: server.port, arguments)
            }
            #expect(ending == .exit(0), "\(check.words)")
            #expect(check.output.text.isEmpty && check.errors.text.isEmpty, "\(check.words)")
        }
    }

    @Test("EchoServer that is full passes if it has an HTTP port")
    func full() throws {
        let arguments = ["--max-connections", "1", "--http-port", "0"]
        try withServer(.echoServer, .epoll, arguments: arguments) { server in
            let line = try server.process.output.waitForLine(
                beginning: "metrics on http://127.0.0.1:")
            let client = try server.connectAndGreet()
            let port = String(line.prefix { $0 != "/" })
            let (check, ending) = try waitForAnswer {
                try ask(.echoServer, port: server.port, ["--http-port", port])
            }
            #expect(ending == .exit(0), "\(check.words)")
            client.close()
        }
    }

    @Test("EchoServer checks any echo server, and KeyValueServer its own kind")
    func others() throws {
        try withServer(.gcdEcho, .epoll) { server in
            let (check, ending) = try waitForAnswer { try ask(.echoServer, port: server.port) }
            #expect(ending == .exit(0), "\(check.words)")
        }
        try withServer(.keyValueServer, .epoll) { server in
            let (check, ending) = try waitForAnswer { try ask(.keyValueServer, port: server.port) }
            #expect(ending == .exit(0), "\(check.words)")
        }
    }

    @Test("FileWatchServer is checked over HTTP")
    func fileWatchServer() throws {
        try withFileWatchServer { server in
            let options = ["--http-port", String(server.httpPort)]
            let (check, ending) = try waitForAnswer {
                try Program.fileWatchServer.start([server.folder.path, "--check"] + options)
            }
            #expect(ending == .exit(0), "\(check.words)")
        }
    }

    @Test("without a server the status is 1, with address and cause")
    func nobody() throws {
        let refusing = try LoopbackSocket.bound()
        let (check, ending) = try waitForAnswer { try ask(.echoServer, port: refusing.port) }
        #expect(ending == .exit(1))
        let errors = check.errors.text
        #expect(errors.contains("127.0.0.1:\(refusing.port) does not answer"), "\(errors)")
        #expect(errors.contains("refused"), "\(errors)")
        #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    }

    @Test("a server that answers wrongly, or not at all, fails the check")
    func wrongAnswers() throws {
        try withServer(.echoServer, .epoll) { server in
            // An echo server returns the question.
            let (check, ending) = try waitForAnswer { try ask(.keyValueServer, port: server.port) }
            #expect(ending == .exit(1))
            #expect(check.errors.text.contains("the answer is wrong"), "\(check.words)")
        }
        let silent = try LoopbackSocket.listening()
        let check = try ask(.echoServer, port: silent.port)
        #expect(try check.waitForEnd() == .exit(1))
        #expect(check.errors.text.contains("no answer in time"), "\(check.words)")
    }

    #if TLS
    @Test(
        "EchoServer with a certificate is checked over TLS",
        .enabled(if: Command.find("openssl") != nil, "openssl is not installed"))
    func secured() throws {
        let folder = Folder()
        let arguments = try Certificate(in: folder).arguments
        try withServer(.echoServer, .epoll, arguments: arguments) { server in
            let (check, ending) = try waitForAnswer {
                try ask(.echoServer, port: server.port, arguments)
            }
            #expect(ending == .exit(0), "\(check.words)")
        }
    }
    #endif
}
