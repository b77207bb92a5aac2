import Glibc
import Testing

/// A store over real connections.
@Suite("KeyValueServer", .watchdog)
struct KeyValueServerTests {
    private func ask(_ client: Client, _ request: String, _ reply: String) throws {
        try client.send(Array(request.utf8))
        let answer = try client.receive(count: reply.utf8.count)
        #expect(String(decoding: answer, as: UTF8.self) == reply)
    }

    @Test(
        "Commands are answered in order, typed and encoded, one by one and many at once",
        arguments: Setting.usable)
    func commands(setting: Setting) throws {
        try withServer(.keyValueServer, setting) { server in
            let client = try server.connect()
            try ask(client, "PING\r\n", "+PONG\r\n")
            try ask(client, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nhello\r\n", "+OK\r\n")
            let other = try server.connect()
            try ask(other, "GET k\r\n", "$5\r\nhello\r\n")
            let count = 2000
            let pipeline = String(repeating: "INCR n\r\n", count: count)
            let replies = (1...count).map { ":\($0)\r\n" }.joined()
            try ask(client, pipeline, replies)
            try ask(other, "QUIT\r\n", "+OK\r\n")
            #expect(try other.receiveUntilEnd() == [])
        }
    }

    @Test(
        "A client that does not take its replies gets all of them later",
        arguments: Setting.usable)
    func slowClient(setting: Setting) throws {
        try withServer(.keyValueServer, setting) { server in
            let client = try server.connect()
            let value = String(repeating: "x", count: 100_000)
            try ask(client, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\n\(value)\r\n", "+OK\r\n")
            let count = 200
            try client.send(Array(String(repeating: "GET k\r\n", count: count).utf8))
            // Others are served meanwhile.
            try ask(try server.connect(), "PING\r\n", "+PONG\r\n")
            let reply = Array("$100000\r\n\(value)\r\n".utf8)
            let all = try client.receive(count: count * reply.count)
            var expected: [UInt8] = []
            for _ in 0..<count { expected += reply }
            #expect(difference(all, from: expected) == nil)
        }
    }

    @Test("Idle clients keep neither their last command nor its reply")
    func idleMemory() throws {
        try withServer(.keyValueServer, .epoll) { server in
            try ask(try server.connect(), "PING\r\n", "+PONG\r\n")
            let before = try ProcessInformation.residentBytes(server.process.processID)
            let value = String(repeating: "x", count: 200_000)
            let clients = try (0..<200).map { _ in
                let client = try server.connect()
                let word = "$200000\r\n\(value)\r\n"
                try ask(client, "*2\r\n$4\r\nECHO\r\n" + word, word)
                return client
            }
            let after = try ProcessInformation.residentBytes(server.process.processID)
            #expect(after - before < 16 << 20, "\((after - before) >> 20) MiB")
            for client in clients { client.close() }
        }
    }

    @Test("A signal ends it with status 0", arguments: [SIGTERM, SIGINT])
    func signals(signal: Int32) throws {
        try withServer(.keyValueServer, .epoll) { server in
            let client = try server.connect()
            try ask(client, "PING\r\n", "+PONG\r\n")
            #expect(try server.end(by: signal) == .exit(0), "\(server.process.words)")
            #expect(try client.receiveUntilEnd() == [])
            #expect(server.process.output.text.contains("served 1 connections"))
        }
    }

    @Test(
        "Wrong options end it with what is wrong",
        arguments: [
            ["--shards", "3"], ["--max-memory", "-1"], ["--port", "65536"],
        ])
    func wrongOptions(arguments: [String]) throws {
        let process = try Program.keyValueServer.start(arguments)
        defer { process.send(SIGKILL) }
        #expect(try process.waitForEnd() == .exit(64))
    }
}
