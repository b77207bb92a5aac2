import Glibc
import Testing

@Suite("Proxy", .watchdog)
struct ProxyTests {
    private static let large = patternBytes(16 * 1024 * 1024)

    @Test("forwards both ways, over TCP and Unix sockets", arguments: Setting.usable)
    func transports(setting: Setting) throws {
        let folder = Folder()
        let (server, front) = (folder.path + "/server", folder.path + "/front")
        try withServer(.echoServer, setting, arguments: ["--unix", server]) { echo in
            _ = try echo.process.output.waitForLine(beginning: "also on unix:")
            for target in ["unix:" + server, "127.0.0.1:\(echo.port)"] {
                let arguments = ["--listen", "unix:" + front, "--to", target]
                try withServer(.proxy, setting, arguments: arguments) { proxy in
                    _ = try proxy.process.output.waitForLine(beginning: "listening on unix:")
                    for client in [try proxy.connectAndGreet(), try Client.unix(path: front)] {
                        for size in [1, 4096, 4097, 65_536, 100_000] {
                            let bytes = patternBytes(size, seed: UInt64(size))
                            try client.send(bytes)
                            let answer = try client.receive(count: size)
                            #expect(difference(answer, from: bytes) == nil, "\(size) bytes")
                        }
                        try client.closeOutput()
                        #expect(try client.receiveUntilEnd() == [])
                    }
                    #expect(try proxy.end(by: SIGINT) == .exit(0), "\(proxy.process.words)")
                    #expect(access(front, F_OK) != 0)
                    #expect(
                        proxy.process.output.text.hasSuffix("served 2 connections, aborted 0\n"))
                }
            }
        }
    }

    @Test("carries large messages both ways at once", arguments: Setting.usable)
    func bothWays(setting: Setting) throws {
        try withProxiedPair(setting) { pair in
            let answers = patternBytes(Self.large.count, seed: 2)
            let ways = [
                Transfer(from: pair.client, to: pair.server, Self.large),
                Transfer(from: pair.server, to: pair.client, answers),
            ]
            let deadline = Deadline()
            while !ways.allSatisfy(\.isDone) {
                for way in ways { try way.advance() }
                if deadline.isOver { throw Trouble("the transfers stall") }
            }
            for way in ways { #expect(difference(way.received, from: way.bytes) == nil) }
        }
    }

    @Test(
        "passes the end of each direction on, after its bytes",
        arguments: [true, false], Setting.usable)
    func halfClose(isClientFirst: Bool, setting: Setting) throws {
        try withProxiedPair(setting) { pair in
            let (first, second) =
                isClientFirst ? (pair.client, pair.server) : (pair.server, pair.client)
            let bytes = patternBytes(300_000)
            let way = Transfer(from: first, to: second, bytes)
            while !way.isSent { try way.advance() }
            try first.closeOutput()
            let rest = try second.receiveUntilEnd()
            #expect(difference(way.received + rest, from: bytes) == nil)
            // The other direction goes on.
            for round in 0..<3 {
                let answer = patternBytes(5000, seed: UInt64(round))
                try second.send(answer)
                #expect(try first.receive(count: answer.count) == answer)
            }
            second.close()
            #expect(try first.receiveUntilEnd() == [])
        }
    }

    @Test("aborts a client whose server does not exist, and reports it", arguments: Setting.usable)
    func refused(setting: Setting) throws {
        let nobody = try LoopbackSocket.bound()
        let folder = Folder()
        for target in ["127.0.0.1:\(nobody.port)", "unix:\(folder.path)/nobody"] {
            try withServer(.proxy, setting, arguments: ["--to", target]) { proxy in
                // The abort may arrive before the client has noticed that it is connected.
                try (try? proxy.connect())?.waitUntilClosed()
                let line = try proxy.process.errors.waitForLine(beginning: "Proxy: ")
                #expect(line.hasPrefix("cannot connect to \(target): "))
                #expect(proxy.process.isRunning)
            }
        }
    }

    @Test("aborts a client whose server does not answer in time", arguments: Setting.usable)
    func connectTimeout(setting: Setting) throws {
        let upstream = try Upstream(backlog: 0)
        let fillers = try upstream.fill()
        let arguments = ["--to", upstream.endpoint, "--connect-timeout", "200ms"]
        try withServer(.proxy, setting, arguments: arguments) { proxy in
            try proxy.connect().waitUntilClosed()
            let line = try proxy.process.errors.waitForLine(beginning: "Proxy: ")
            #expect(line.contains("timed out"))
        }
        for filler in fillers { filler.close() }
    }

    @Test(
        "stops reading from one side while the other does not read, and loses nothing",
        arguments: [true, false], Setting.usable)
    func backPressure(isClientSlow: Bool, setting: Setting) throws {
        try withProxiedPair(setting) { pair in
            let (fast, slow) =
                isClientSlow ? (pair.server, pair.client) : (pair.client, pair.server)
            let before = try ProcessInformation.residentBytes(pair.proxy.process.processID)
            let bytes = patternBytes(64 * 1024 * 1024)
            let sent = try pair.proxy.fill(fast, bytes)
            #expect(sent < bytes.count, "everything was read without being received")
            let after = try ProcessInformation.residentBytes(pair.proxy.process.processID)
            #expect(after - before < 4 << 20)
            // The other direction goes on.
            try slow.send([1, 2, 3])
            #expect(try fast.receive(count: 3) == [1, 2, 3])
            try fast.closeOutput()
            let received = try slow.receiveUntilEnd()
            #expect(difference(received, from: Array(bytes[..<sent])) == nil)
        }
    }

    @Test("finishes a transfer after SIGTERM, and refuses clients", arguments: Setting.usable)
    func shutdown(setting: Setting) throws {
        try withProxiedPair(setting, arguments: ["--drain", "50s"]) { pair in
            let sent = try pair.proxy.fill(pair.client, Self.large)
            pair.proxy.process.send(SIGTERM)
            let deadline = Deadline()
            while (try? pair.proxy.connect()) != nil {
                if deadline.isOver { throw Trouble("clients are not refused") }
            }
            let way = Transfer(from: pair.client, to: pair.server, Self.large, sent: sent)
            // Before the transfer ends: the proxy ends a pair that is quiet for a second.
            try pair.server.send([7])
            while !way.isDone { try way.advance() }
            try pair.client.closeOutput()
            pair.server.close()
            #expect(try pair.client.receiveUntilEnd() == [7])
            #expect(difference(way.received, from: way.bytes) == nil)
            #expect(try pair.proxy.process.waitForEnd() == .exit(0), "\(pair.proxy.process.words)")
            #expect(pair.proxy.process.output.text.contains(", aborted 0\n"))
        }
    }

    @Test("ends quiet pairs soon after SIGTERM", arguments: Setting.usable)
    func quietShutdown(setting: Setting) throws {
        try withProxiedPair(setting, arguments: ["--drain", "1h"]) { pair in
            try pair.client.send([1])
            #expect(try pair.server.receive(count: 1) == [1])
            #expect(try pair.proxy.end(by: SIGTERM) == .exit(0), "\(pair.proxy.process.words)")
            #expect(pair.proxy.process.output.text.contains("served 1 connections, aborted 0\n"))
            #expect(try pair.client.receiveUntilEnd() == [])
            #expect(try pair.server.receiveUntilEnd() == [])
        }
    }

    @Test("aborts those that do not read at the end of the drain", arguments: Setting.usable)
    func stuckShutdown(setting: Setting) throws {
        try withProxiedPair(setting, arguments: ["--drain", "300ms"]) { pair in
            _ = try pair.proxy.fill(pair.client, Self.large)
            #expect(try pair.proxy.end(by: SIGTERM) == .exit(0), "\(pair.proxy.process.words)")
            #expect(pair.proxy.process.output.text.contains("served 1 connections, aborted 1\n"))
        }
    }

    @Test(
        "passes a reset on while the other side is written to, and serves others",
        arguments: [true, false], Setting.usable)
    func reset(isClient: Bool, setting: Setting) throws {
        try withServer(.echoServer, .epoll) { echo in
            let witnessArguments = ["--to", "127.0.0.1:\(echo.port)"]
            try withServer(.proxy, setting, arguments: witnessArguments) { proxy in
                let witness = try proxy.connectAndGreet()
                let stuck = try proxy.connect()
                _ = try proxy.fill(stuck, Self.large)
                stuck.abort()
                try witness.send([1])
                #expect(try witness.receive(count: 1) == [1])
            }
        }
        try withProxiedPair(setting) { pair in
            let (leaving, other) =
                isClient ? (pair.client, pair.server) : (pair.server, pair.client)
            _ = try pair.proxy.fill(leaving, Self.large)
            leaving.abort()
            var last = Client.Received.nothing
            repeat { last = try other.receiveSome(until: Deadline()) } while last.hasBytes
            #expect(last == .reset)
            #expect(try pair.proxy.end(by: SIGTERM) == .exit(0), "\(pair.proxy.process.words)")
        }
    }

    @Test("ends a pair once it transfers nothing in either direction", arguments: Setting.usable)
    func idleTimeout(setting: Setting) throws {
        // On a machine that does not keep up, twice as long a time-out is tried.
        for seconds: UInt64 in [1, 2, 4, 8] {
            let arguments = ["--idle-timeout", "\(seconds)s"]
            let hasKeptUp = try withProxiedPair(setting, arguments: arguments) { pair in
                // Longer than the time-out: the bytes of one direction keep the pair.
                let (longestPause, error) = pair.transferBytes(milliseconds: 2000 * seconds)
                if longestPause > seconds * 500_000_000, seconds < 8 { return false }
                if let error { throw error }
                #expect(try pair.client.receiveUntilEnd() == [])
                #expect(try pair.server.receiveUntilEnd() == [])
                #expect(pair.proxy.process.isRunning)
                return true
            }
            if hasKeptUp { return }
        }
    }
}

extension ProxiedPair {
    /// Transfers a byte again and again, for a time.
    /// - Returns: the longest pause, in nanoseconds, and the error that ended the transfers early.
    fileprivate func transferBytes(
        milliseconds: UInt64
    ) -> (longestPause: UInt64, error: (any Error)?) {
        let deadline = Deadline(afterMilliseconds: milliseconds)
        var (last, longestPause) = (start, UInt64(0))
        do {
            while !deadline.isOver {
                try client.send([1])
                let bytes = try server.receive(count: 1)
                if bytes != [1] { throw Trouble("\(bytes) arrived") }
                longestPause = max(longestPause, Deadline.now() - last)
                last = Deadline.now()
            }
            return (longestPause, nil)
        } catch {
            return (max(longestPause, Deadline.now() - last), error)
        }
    }
}

extension Client.Received {
    fileprivate var hasBytes: Bool { if case .bytes = self { true } else { false } }
}

/// Bytes on their way from one end of a pair to the other.
private final class Transfer {
    let bytes: [UInt8]
    private(set) var received: [UInt8] = []
    private var sent: Int
    private let source: Client
    private let sink: Client
    private let deadline = Deadline()

    init(from source: Client, to sink: Client, _ bytes: [UInt8], sent: Int = 0) {
        self.source = source
        self.sink = sink
        self.bytes = bytes
        self.sent = sent
        received.reserveCapacity(bytes.count)
    }

    var isSent: Bool { sent == bytes.count }
    var isDone: Bool { received.count >= bytes.count }

    /// Sends what there is room for, and receives what has arrived.
    func advance() throws {
        if deadline.isOver { throw Trouble("\(received.count) of \(bytes.count) bytes received") }
        let soon = Deadline(afterMilliseconds: 1)
        if !isSent { sent += try source.sendSome(bytes[sent...], until: soon) }
        switch try sink.receiveSome(until: soon, atMost: 1 << 20) {
        case .bytes(let part): received += part
        case .nothing: break
        case let end: throw Trouble("\(end) after \(received.count) bytes")
        }
    }
}
