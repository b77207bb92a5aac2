import Glibc
import Testing

@Suite("ChatServer", .watchdog)
struct ChatServerTests {
    /// A client that has given its name.
    private func enter(_ server: EchoProcess, as name: String) throws -> LineReader {
        let client = LineReader(try server.connect())
        #expect(try client.line() == "* what is your name?")
        try client.send(name)
        #expect(try client.line() == "* \(name) has joined lobby")
        return client
    }

    @Test("Lines go to everybody in the same room", arguments: Setting.usable)
    func rooms(setting: Setting) throws {
        try withServer(.chatServer, setting) { server in
            let ann = try enter(server, as: "ann")
            let bob = try enter(server, as: "bob")
            #expect(try ann.line() == "* bob has joined lobby")
            try ann.send("hello")
            for client in [ann, bob] { #expect(try client.line() == "ann: hello") }
            try ann.send("\u{1b}[2J\u{7}\u{9b}31mhello \u{e4}\r")
            for client in [ann, bob] { #expect(try client.line() == "ann: [2J31mhello \u{e4}") }
            try bob.send("/join attic")
            #expect(try ann.line() == "* bob has left lobby")
            #expect(try bob.line() == "* bob has joined attic")
            try bob.send("anybody here?")
            #expect(try bob.line() == "bob: anybody here?")
            try ann.send("/rooms")
            #expect(try ann.line() == "attic 1")
            #expect(try ann.line() == "lobby 1")
            try ann.send("/nonsense")
            #expect(try ann.line() == "* /join ROOM, /who, /rooms, /quit")
            try bob.send("/quit")
            #expect(try bob.line() == nil)
        }
    }

    @Test("Names are unique and short, and free again once their owner has left")
    func names() throws {
        try withServer(.chatServer, .epoll) { server in
            let ann = try enter(server, as: "ann")
            let other = LineReader(try server.connect())
            _ = try other.line()
            let marks = String(repeating: "\u{301}", count: 400)
            let long = String(repeating: "x", count: 21)
            // The last two are the same as ann's on a screen.
            let names = ["ann", "", "a b", long, "e" + marks, "ann\u{200d}", "ann\u{fe0f}"]
            for name in names {
                try other.send(name)
                #expect(try other.line()?.hasPrefix("* that name is taken") == true)
            }
            for name in ["e\u{301}va", "हिन्दी", "ที่นี่"] { try enter(server, as: name).client.close() }
            ann.client.abort()
            var answer: String?
            repeat {
                try other.send("ann")
                answer = try other.line()
            } while answer?.hasPrefix("* that name") == true
            #expect(answer == "* ann has joined lobby")
        }
    }

    @Test("A list of more members than an outbox has lines is complete")
    func longList() throws {
        try withServer(.chatServer, .epoll, arguments: ["--outbox", "2"]) { server in
            let names = (10..<40).map { "user\($0)" }
            let others = try names.map { try enter(server, as: $0) }
            let last = try enter(server, as: "last")
            try last.send("/who")
            for name in ["last"] + names { #expect(try last.line() == name) }
            for other in others { other.client.close() }
        }
    }

    /// Posts lines until the server has none left to send.
    private func flood(_ server: EchoProcess, _ client: LineReader) throws -> Int {
        let line = String(repeating: "x", count: 900)
        var count = 0
        // Far more than the socket's buffers hold.
        while count < 20_000 {
            for _ in 0..<20 { try client.send(line) }
            for _ in 0..<20 { #expect(try client.line()?.hasSuffix(line) == true) }
            count += 20
        }
        return count
    }

    @Test("A slow reader delays nobody, misses lines, and receives their number")
    func dropsLines() throws {
        try withServer(.chatServer, .epoll, arguments: ["--outbox", "30"]) { server in
            let slow = try enter(server, as: "slow")
            let quick = try enter(server, as: "quick")
            let count = try flood(server, quick)
            let memory = try ProcessInformation.residentBytes(server.process.processID)
            #expect(memory < 100 << 20)
            #expect(try slow.line() == "* quick has joined lobby")
            var (received, missed, posted) = (0, 0, count)
            var last = ""
            // The last lines may be missed without a later one that tells.
            while last != "quick: \(posted)" {
                posted += 1
                try quick.send("\(posted)")
                #expect(try quick.line() == "quick: \(posted)")
                // If that line was missed, 30 others wait; if not, it is among the next ones.
                for _ in 0..<20 where last != "quick: \(posted)" {
                    last = try #require(try slow.line())
                    if last.hasPrefix("* you have missed ") {
                        missed += try #require(Int(last.split(separator: " ")[4]))
                    } else {
                        received += 1
                    }
                }
            }
            #expect(received + missed == posted)
            #expect(missed > 0)
        }
    }

    @Test("Or it is disconnected, as the option says")
    func dropsClients() throws {
        let arguments = ["--outbox", "30", "--slow-readers", "drop-client"]
        try withServer(.chatServer, .epoll, arguments: arguments) { server in
            let slow = try enter(server, as: "slow")
            let quick = try enter(server, as: "quick")
            let line = String(repeating: "x", count: 900)
            var answer: String?
            repeat {
                try quick.send(line)
                answer = try quick.line()
            } while answer == "quick: \(line)"
            #expect(answer == "* slow has left lobby")
            try slow.client.waitUntilClosed()
        }
    }

    @Test("A line that is too long ends the connection with a word, and no other")
    func longLine() throws {
        try withServer(.chatServer, .epoll) { server in
            let ann = try enter(server, as: "ann")
            let bob = try enter(server, as: "bob")
            _ = try ann.line()
            try bob.send(String(repeating: "x", count: 1000))
            for client in [ann, bob] { #expect(try client.line()?.count == 1005) }
            try bob.client.send([UInt8](repeating: 0x78, count: 2000))
            #expect(try bob.line() == "* a line has at most 1000 bytes")
            #expect(try bob.line() == nil)
            #expect(try ann.line() == "* bob has left lobby")
        }
    }

    #if TLS
    @Test(
        "With a certificate, clients speak TLS",
        .enabled(if: Command.find("openssl") != nil, "openssl is not installed"),
        arguments: Setting.usable)
    func certificates(setting: Setting) throws {
        let folder = Folder()
        let certificate = try Certificate(in: folder)
        try withServer(.chatServer, setting, arguments: certificate.arguments) { server in
            let client = try Program.start(
                "/bin/sh",
                [
                    "-c",
                    "exec openssl s_client -connect 127.0.0.1:\(server.port) -quiet "
                        + "-CAfile \(certificate.path) -verify_return_error"
                        + " <<'END'\nann\nhello\nEND",
                ])
            _ = try client.output.waitForLine(beginning: "ann: hello")
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            // The client may still have to print it.
            _ = try client.output.waitForLine(beginning: "* the server stops")
            client.send(SIGKILL)
        }
    }
    #endif

    @Test("A signal ends it in order, with status 0", arguments: [SIGTERM, SIGINT], Setting.usable)
    func signals(signal: Int32, setting: Setting) throws {
        try withServer(.chatServer, setting) { server in
            let ann = try enter(server, as: "ann")
            let unnamed = LineReader(try server.connect())
            #expect(try unnamed.line() == "* what is your name?")
            #expect(try server.end(by: signal) == .exit(0), "\(server.process.words)")
            #expect(try ann.line() == "* the server stops")
            #expect(try unnamed.line() == nil)
            #expect(server.process.output.text.hasSuffix("served 2 connections, aborted 0\n"))
        }
    }
}
