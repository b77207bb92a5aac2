import Glibc
import Testing

/// EchoServer's functions other than the TCP echo.
@Suite("EchoServer", .watchdog)
struct EchoServerTests {
    private let greeting = Array("hello".utf8)

    @Test("It echoes datagrams, also empty and large ones", arguments: Setting.usable)
    func datagrams(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--udp"]) { server in
            _ = try server.process.output.waitForLine(beginning: "also on udp://127.0.0.1:")
            let client = try Client.datagrams(port: server.port)
            for count in [5, 1, 1400, 20_000, 3] {
                let bytes = patternBytes(count)
                try client.send(bytes)
                #expect(try client.receiveSome(until: Deadline()) == .bytes(bytes))
            }
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(", 5 datagrams, 21409 bytes"))
        }
    }

    @Test(
        "It serves a Unix socket with the requested permissions, and removes it",
        arguments: Setting.usable)
    func unixSocket(setting: Setting) throws {
        let folder = Folder()
        let path = folder.path + "/echo"
        let arguments = ["--unix", path, "--unix-mode", "600"]
        try withServer(.echoServer, setting, arguments: arguments) { server in
            _ = try server.process.output.waitForLine(beginning: "also on unix:")
            var facts = stat()
            #expect(lstat(path, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
            let client = try Client.unix(path: path)
            try client.send(greeting)
            #expect(try client.receive(count: greeting.count) == greeting)
            _ = try server.connectAndGreet()
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(access(path, F_OK) != 0)
            #expect(server.process.output.text.contains("served 2 connections"))
        }
    }

    @Test("The socket file of a killed server is replaced")
    func staleFile() throws {
        let folder = Folder()
        let path = folder.path + "/echo"
        try withServer(.echoServer, .epoll, arguments: ["--unix", path]) { server in
            let ending = try server.end(by: SIGKILL)
            #expect(ending == .signal(SIGKILL))
        }
        #expect(access(path, F_OK) == 0)
        try withServer(.echoServer, .epoll, arguments: ["--unix", path]) { server in
            let client = try Client.unix(path: path)
            try client.send(greeting)
            #expect(try client.receive(count: greeting.count) == greeting)
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
        }
    }

    @Test("discard receives everything and sends nothing", arguments: Setting.usable)
    func discard(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--mode", "discard"]) { server in
            let client = try server.connect()
            try client.send(patternBytes(1_000_000))
            try client.closeOutput()
            #expect(try client.receiveUntilEnd() == [])
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(", 1000000 bytes"))
        }
    }

    @Test(
        "chargen sends RFC 864's lines without end, to slow clients too",
        arguments: Setting.usable)
    func characters(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--mode", "chargen"]) { server in
            let slow = try server.connect()
            let client = try server.connect()
            let bytes = try client.receive(count: 95 * 74 * 40)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines[0].hasPrefix(" !\"#$%&'()*+"))
            #expect(lines[1].hasPrefix("!\"#$%&'()*+,"))
            let isRight = lines.dropLast().enumerated().allSatisfy { index, line in
                line.utf8.count == 72 && line == lines[index % 95]
            }
            #expect(isRight)
            // The server buffers little for a client that does not read.
            let memory = try ProcessInformation.residentBytes(server.process.processID)
            #expect(memory < 100 << 20)
            let late = try slow.receive(count: 12)
            #expect(late.prefix(12) == bytes.prefix(12))
            client.close()
            slow.close()
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
        }
    }

    @Test(
        "/metrics has the figures, /healthz answers, all else is an error",
        arguments: Setting.usable)
    func figures(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--http-port", "0"]) { server in
            let line = try server.process.output.waitForLine(
                beginning: "metrics on http://127.0.0.1:")
            let port = try #require(UInt16(line.prefix { $0 != "/" }))
            _ = try server.connectAndGreet()
            let client = try server.connectAndGreet()
            let page = try Client.get("/metrics", port: port)
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(page.contains("\necho_connections_total 2\n"))
            #expect(page.contains("\necho_received_bytes_total{transport=\"stream\"} 10\n"))
            let health = try Client.get("/healthz", port: port)
            #expect(health.hasSuffix("\r\n\r\nok\n"))
            let nothing = try Client.get("/", port: port)
            #expect(nothing.hasPrefix("HTTP/1.1 404 "))
            let refusal = try Client.get("/", port: port, method: "POST")
            #expect(refusal.hasPrefix("HTTP/1.1 405 "))
            #expect(refusal.contains("\r\nAllow: GET, HEAD\r\n"))
            let head = try Client.get("/healthz", port: port, method: "HEAD")
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
            let garbage = try Client(port: port)
            try garbage.send(Array("nonsense\r\n\r\n".utf8))
            let answer = String(decoding: try garbage.receiveUntilEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            // One byte more than a head may have, and room for most of its end. Bytes that the
            // server does not read would cause a reset, which can discard the answer.
            let endless = try Client(port: port)
            try endless.send(Array(repeating: UInt8(ascii: "x"), count: 8 * 1024 + 4))
            let tooLong = String(decoding: try endless.receiveUntilEnd(), as: UTF8.self)
            #expect(tooLong.hasPrefix("HTTP/1.1 431 "))
            client.close()
        }
    }

    @Test("a scrape after a load equals the client's own counts", arguments: Setting.usable)
    func scrape(setting: Setting) throws {
        let folder = Folder()
        try withServer(.echoServer, setting, arguments: ["--http-port", "0"]) { server in
            let line = try server.process.output.waitForLine(
                beginning: "metrics on http://127.0.0.1:")
            let port = try #require(UInt16(line.prefix { $0 != "/" }))
            let load = try Program.ringload.start(
                ["tcp://127.0.0.1:\(server.port)", "--json", folder.path + "/report.json"]
                    + RingloadTests.shortLoad, setting)
            #expect(try load.waitForEnd() == .exit(0), "\(load.words)")
            let report = try folder.object(named: "report.json")
            // ringload measures the time of each connection's messages from the second one on.
            let messages = try #require(report["messages"] as? Int) + 8
            let bytes = try #require(report["bytes_received"] as? Int)
            let page = try Client.get("/metrics", port: port)
            for expected in [
                "echo_connections_total 8", "echo_messages_total{transport=\"stream\"} \(messages)",
                "echo_received_bytes_total{transport=\"stream\"} \(bytes)",
            ] { #expect(page.contains("\n\(expected)\n"), "\(page)") }
        }
    }

    @Test("Clients beyond the limit wait until another leaves", arguments: Setting.usable)
    func connectionLimit(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--max-connections", "2"]) { server in
            let first = try server.connectAndGreet()
            let second = try server.connectAndGreet()
            let waiting = try server.connect()
            try waiting.send(greeting)
            let soon = Deadline(afterMilliseconds: 100)
            #expect(try waiting.receiveSome(until: soon) == .nothing)
            first.close()
            #expect(try waiting.receive(count: greeting.count) == greeting)
            second.close()
        }
    }

    @Test("Clients of one address beyond its limit are reset", arguments: Setting.usable)
    func peerLimit(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--max-per-peer", "1"]) { server in
            let first = try server.connectAndGreet()
            // The reset may arrive while the client connects.
            if let second = try? server.connect() {
                #expect(try second.receiveSome(until: Deadline()) == .reset)
            }
            first.close()
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(", 1 connections refused"))
        }
    }

    @Test("A silent client is closed after the idle time-out", arguments: Setting.usable)
    func idleTimeout(setting: Setting) throws {
        // On a machine that does not keep up, twice as long a time-out is tried.
        for seconds: UInt64 in [1, 2, 4, 8] {
            let arguments = ["--idle-timeout", "\(seconds)s"]
            let hasKeptUp = try withServer(.echoServer, setting, arguments: arguments) { server in
                let start = Deadline.now()
                let greeted = Result { try server.connectAndGreet() }
                if Deadline.now() - start > seconds * 500_000_000, seconds < 8 { return false }
                let client = try greeted.get()
                #expect(try client.receiveUntilEnd() == [])
                #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
                #expect(server.process.output.text.contains(", 1 timed out"))
                return true
            }
            if hasKeptUp { return }
        }
    }

    @Test(
        "At the end of the drain, clients with unreceived data are cut off and counted",
        arguments: Setting.usable)
    func drain(setting: Setting) throws {
        try withServer(.echoServer, setting, arguments: ["--drain", "200ms"]) { server in
            let stuck = try server.connect()
            _ = try server.fill(stuck, patternBytes(16 * 1024 * 1024))
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
            #expect(server.process.output.text.contains(", 1 cut off with "))
        }
    }

    #if TLS
    private func openssl(_ arguments: String) throws -> ChildProcess {
        try Program.start("/bin/sh", ["-c", "exec openssl " + arguments])
    }

    @Test(
        "With a certificate TCP clients speak TLS, and SIGHUP reloads it",
        .enabled(if: Command.find("openssl") != nil, "openssl is not installed"),
        arguments: Setting.usable)
    func certificates(setting: Setting) throws {
        let folder = Folder()
        let arguments = try Certificate(in: folder, name: "first").arguments
        try withServer(.echoServer, setting, arguments: arguments) { server in
            let place = "s_client -connect 127.0.0.1:\(server.port)"
            let client = try openssl(
                place + " -CAfile \(folder.path)/certificate.pem -verify_return_error -quiet"
                    + " <<'END'\nhello\nEND")
            _ = try client.output.waitForLine(beginning: "hello")
            client.send(SIGKILL)
            let plain = try server.connect()
            try plain.send(Array("GET / HTTP/1.0\r\n\r\n".utf8))
            try plain.waitUntilClosed()

            _ = try Certificate(in: folder, name: "second")
            server.process.send(SIGHUP)
            _ = try server.process.errors.waitForLine(beginning: "EchoServer: SIGHUP: ")
            let other = try openssl(place + " </dev/null")
            _ = try other.waitForEnd()
            // Some versions print "CN = second".
            let text = other.output.text.replacing(" ", with: "")
            #expect(text.contains("CN=second"), "\(other.words)")
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
        }
    }
    #endif

    @Test("SIGHUP without a certificate changes nothing")
    func hangUp() throws {
        try withServer(.echoServer, .epoll) { server in
            server.process.send(SIGHUP)
            _ = try server.process.errors.waitForLine(beginning: "EchoServer: SIGHUP: ")
            _ = try server.connectAndGreet()
            #expect(try server.end(by: SIGTERM) == .exit(0), "\(server.process.words)")
        }
    }
}
