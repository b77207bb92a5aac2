import Glibc
import Testing

/// The behaviour of all echo servers, over plain sockets.
@Suite("Echo servers", .watchdog)
struct EchoTests {
    @Test("listen on a free port and print it", arguments: Program.servers, Setting.usable)
    func listeningLine(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            #expect(server.process.output.text == "listening on 127.0.0.1:\(server.port)\n")
            _ = try server.connectAndGreet()
        }
    }

    @Test("echo every byte, in order", arguments: Program.servers, Setting.usable)
    func exactEcho(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let client = try server.connect()
            for size in [1, 2, 4095, 4096, 4097, 16_384, 16_385, 50_000] {
                let bytes = patternBytes(size, seed: UInt64(size))
                try client.send(bytes)
                let echo = try client.receive(count: size)
                #expect(difference(echo, from: bytes) == nil, "\(size) bytes")
            }
        }
    }

    @Test("keep clients apart", arguments: Program.servers, Setting.usable)
    func clientsApart(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let clients = try (0..<20).map { _ in try server.connect() }
            for (number, client) in clients.enumerated() {
                try client.send(patternBytes(1000, seed: UInt64(number)))
            }
            for (number, client) in clients.enumerated().reversed() {
                let echo = try client.receive(count: 1000)
                #expect(difference(echo, from: patternBytes(1000, seed: UInt64(number))) == nil)
            }
        }
    }

    @Test(
        "send a half-closing client the rest, then end of file",
        arguments: Program.servers, Setting.usable)
    func halfClose(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let client = try server.connect()
            let bytes = patternBytes(30_000)
            try client.send(bytes)
            try client.closeOutput()
            #expect(difference(try client.receiveUntilEnd(), from: bytes) == nil)

            let silent = try server.connect()
            try silent.closeOutput()
            #expect(try silent.receiveUntilEnd() == [])
        }
    }

    /// The client sends more than the socket buffers hold, so the server stops reading; then the
    /// client half-closes.
    @Test(
        "stop reading from a client that does not read, and lose nothing",
        arguments: Program.servers, Setting.usable)
    func backPressure(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let slow = try server.connect()
            let bytes = patternBytes(32 * 1024 * 1024)
            let sent = try server.fill(slow, bytes)
            #expect(sent < bytes.count, "the server read everything without being read from")
            try slow.closeOutput()

            _ = try server.connectAndGreet()
            try server.waitUntilCalm()

            let echo = try slow.receiveUntilEnd()
            #expect(difference(echo, from: Array(bytes[..<sent])) == nil)
        }
    }

    @Test(
        "let no client's reset or early end harm another", arguments: Program.servers,
        Setting.usable)
    func resets(program: Program, setting: Setting) throws {
        try withServer(program, setting) { server in
            let witness = try server.connectAndGreet()
            let bytes = patternBytes(100_000)
            for round in 0..<10 {
                // Without data, after a greeting, with an echo in flight, and with the server
                // blocked.
                try server.connect().abort()
                try server.connectAndGreet().abort()
                let unread = try server.connect()
                try unread.send(Array(bytes[..<5000]))
                unread.abort()
                let halfWay = try server.connectAndGreet()
                _ = try halfWay.sendSome(bytes[...], until: Deadline())
                if round.isMultiple(of: 2) { halfWay.close() } else { halfWay.abort() }
            }
            let stuck = try server.connect()
            _ = try server.fill(stuck, patternBytes(16 * 1024 * 1024))
            stuck.abort()

            let message = patternBytes(3000, seed: 7)
            try witness.send(message)
            let echo = try witness.receive(count: message.count)
            #expect(difference(echo, from: message) == nil)
            _ = try server.connectAndGreet()
            #expect(server.process.isRunning)
        }
    }
}
