import Glibc
import Testing

/// Error messages at the start: cause and remedy.
@Suite("Failures at the start", .watchdog)
struct StartFailureTests {
    struct Usage: CustomTestStringConvertible {
        let program: Program
        let arguments: [String]

        init(_ program: Program, _ arguments: String...) {
            self.program = program
            self.arguments = arguments
        }

        var testDescription: String { ([program.rawValue] + arguments).joined(separator: " ") }
    }

    static let wrongUsages = [
        Usage(.echoServer, "--port", "65536"),
        Usage(.echoServer, "--port", "-1"),
        Usage(.echoServer, "--port"),
        Usage(.echoServer, "--loops", "0", "--port", "0"),
        Usage(.echoServer, "--loops", "257", "--port", "0"),
        Usage(.echoServer, "--backend", "kqueue", "--port", "0"),
        Usage(.echoServer, "--bogus"),
        Usage(.echoServer, "surplus"),
        Usage(.echoServer, "--port", "0", "--mode", "sing"),
        Usage(.echoServer, "--port", "0", "--max-connections", "0"),
        Usage(.echoServer, "--port", "0", "--idle-timeout", "0s"),
        Usage(.echoServer, "--port", "0", "--idle-timeout", "soon"),
        Usage(.echoServer, "--port", "0", "--unix-mode", "600"),
        Usage(.echoServer, "--port", "0", "--unix", "/tmp/x", "--unix-mode", "999"),
        Usage(.echoServer, "--port", "0", "--certificate", "/tmp/x"),
        Usage(.gcdEcho, "--port", "65536"),
        Usage(.gcdEcho, "--port"),
        Usage(.gcdEcho, "--bogus", "1"),
        Usage(.gcdEcho, "--version", "1"),
        Usage(.gcdEcho, "--host", "localhost", "--port", "0"),
        Usage(.proxy, "--listen", "127.0.0.1:0"),
        Usage(.proxy, "--to", "127.0.0.1"),
        Usage(.proxy, "--to", "127.0.0.1:1", "--listen", "7000"),
        Usage(.proxy, "--to", "127.0.0.1:1", "--idle-timeout", "0s"),
        Usage(.ringload),
        Usage(.ringload, "127.0.0.1:7007"),
        Usage(.ringload, "tcp://127.0.0.1"),
        Usage(.ringload, "tcp://127.0.0.1:0"),
        Usage(.ringload, "tcp://::1:7007"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--connections", "0"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--size", "0"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--pipeline", "5000"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--duration", "10 parsecs"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--duration", "0s"),
        Usage(.ringload, "tcp://127.0.0.1:7007", "--loops", "0"),
    ]

    @Test("wrong usage is status 64 with a message", arguments: wrongUsages)
    func wrongUsage(usage: Usage) throws {
        let process = try usage.program.start(usage.arguments)
        #expect(try process.waitForEnd() == .exit(64), "\(process.words)")
        #expect(!process.errors.text.isEmpty)
        #expect(process.output.text.isEmpty)
    }

    @Test("--version names the program and one version for all", arguments: Program.allCases)
    func version(program: Program) throws {
        let process = try program.start(["--version"])
        #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        #expect(process.output.text == "\(program.rawValue) 0.1-dev\n")
    }

    @Test(
        "a negative number is a wrong value, not a missing one",
        arguments: [Program.echoServer, .keyValueServer, .ringload])
    func negative(program: Program) throws {
        let process = try program.start(["--loops", "-1", "tcp://127.0.0.1:7007"])
        #expect(try process.waitForEnd() == .exit(64), "\(process.words)")
        #expect(process.errors.text.contains("--loops -1: must be 1 to 256"), "\(process.words)")
    }

    @Test("a busy port is status 1, the cause and the remedy", arguments: Setting.usable)
    func busyPort(setting: Setting) throws {
        let other = try LoopbackSocket.listening()
        let process = try Program.echoServer.start(["--port", String(other.port)], setting)
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        let errors = process.errors.text
        #expect(errors.contains("127.0.0.1:\(other.port)"))
        #expect(errors.contains("another program listens there"))
        #expect(errors.contains("port 0 picks a free one"))
        #expect(process.output.text.isEmpty)
    }

    @Test("a busy port of localhost's first address is an error, whatever the others are")
    func busyPortOfName() throws {
        let other = try LoopbackSocket.listening()
        let process = try Program.echoServer.start(
            ["--host", "localhost", "--port", String(other.port)])
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("127.0.0.1:\(other.port)"), "\(process.words)")
    }

    @Test("GCDEcho names a busy port")
    func busyPortOfGCDEcho() throws {
        let other = try LoopbackSocket.listening()
        let process = try Program.gcdEcho.start(["--port", String(other.port)])
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains("127.0.0.1:\(other.port)"))
        #expect(process.errors.text.contains("Address already in use"))
    }

    /// None of them needs a name server: one is a valid address of another machine, the other is
    /// neither an address nor a name.
    @Test(
        "a bad host is status 1, the cause and the remedy",
        arguments: [
            ("203.0.113.1", "the address is not one of this machine's"),
            ("[::1%nowhere]", "Give an address or name of this machine"),
        ])
    func badHost(host: String, words: String) throws {
        let process = try Program.echoServer.start(["--host", host, "--port", "0"])
        #expect(try process.waitForEnd() == .exit(1), "\(process.words)")
        #expect(process.errors.text.contains(host))
        #expect(process.errors.text.contains(words))
    }
}
