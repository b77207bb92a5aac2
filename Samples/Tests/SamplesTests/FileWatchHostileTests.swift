import Foundation
import Glibc
import Testing

/// FileWatchServer and clients that take more than they should.
@Suite("FileWatchServer's hostile clients", .watchdog)
struct FileWatchHostileTests {
    private static let fileCount = 6000

    /// A tree of many files, each with one event in the history.
    private func withFullHistory(
        _ arguments: [String] = [], _ body: (FileWatchProcess) throws -> Void
    ) throws {
        try withFileWatchServer(arguments: ["--window", "0"] + arguments, in: .memory) { server in
            let witness = try server.connect()
            let name = String(repeating: "e", count: 30)
            for number in 1...Self.fileCount { try server.folder.write("\(name) \(number)") }
            _ = try witness.events(to: server.folder.path("\(name) \(Self.fileCount)"))
            witness.client.close()
            try body(server)
        }
    }

    private static func request(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }

    @Test("Globs that cost too much are refused with the limit and the remedy")
    func expensiveGlobs() throws {
        try withFileWatchServer { server in
            let client = try server.connect()
            let glob = "\"\(String(repeating: "*?", count: 500))\""
            let globs = Array(repeating: glob, count: 62).joined(separator: ",")
            try client.send("{\"globs\":[\(globs)],\"since\":0}")
            let error = try client.event().error ?? ""
            #expect(error.contains("more than 1024 bytes together: send fewer or shorter ones"))
            let query = "?glob=" + String(repeating: "*a", count: 600)
            let answer = try server.get("/events" + query)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("1024 bytes together"))
        }
    }

    @Test("Clients that leave before their answer is complete cost nothing more")
    func leaving() throws {
        try withFullHistory { server in
            let process = server.process.processID
            let globs = Array(repeating: "\"*e*e*e*e*e*e*e*z\"", count: 64).joined(separator: ",")
            for _ in 1...80 {
                let client = try Client(port: server.port)
                try client.send(Array("{\"globs\":[\(globs)],\"since\":1}\n".utf8))
                try client.closeOutput()
                client.close()
            }
            for _ in 1...20 {
                let client = try Client(port: server.httpPort)
                try client.send(Self.request("/snapshot"))
                client.close()
            }
            let deadline = Deadline()
            var restingTicks = 0
            while restingTicks < 20 {
                restingTicks = try ProcessInformation.isAsleep(process) ? restingTicks + 1 : 0
                if deadline.isOver { throw Trouble("the server still works for them") }
                letPass(milliseconds: 10)
            }
            #expect(try server.get("/metrics").contains("file_watch_clients 0\n"))
        }
    }

    @Test("Pipelined requests are answered one at a time, as the client reads")
    func pipelining() throws {
        try withFileWatchServer { server in
            let before = try ProcessInformation.residentBytes(server.process.processID)
            let count = 400
            let clients = try (1...20).map { _ in try Client(port: server.httpPort) }
            for client in clients {
                try client.send(Array((1...count).map { _ in Self.request("/") }.joined()))
            }
            // After this many bytes, a server that answers ahead would have answered everyone.
            let answer = Array(try server.get("/").utf8)
            let length = answer.count + "keep-alive".utf8.count - "close".utf8.count
            let received = try clients[0].receive(count: count * length)
            #expect(received.suffix(8).elementsEqual("</html>\n".utf8))
            let grown = try ProcessInformation.residentBytes(server.process.processID) - before
            let all = clients.count * count * length
            #expect(grown < all / 4, "\(grown >> 20) of \(all >> 20) MiB")
        }
    }

    @Test("More than eight downloads of snapshots at a time are refused until one ends")
    func manySnapshots() throws {
        try withFullHistory { server in
            var clients = try (1...8).map { _ in try Client(port: server.httpPort) }
            for client in clients {
                try client.send(Self.request("/snapshot"))
                _ = try client.receive(count: 1)
            }
            let refusal = try server.get("/snapshot")
            #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("Retry-After: 1\r\n"))
            clients.removeLast().close()
            #expect(poll { (try? server.get("/snapshot").hasPrefix("HTTP/1.1 200 ")) == true })
            for client in clients { client.close() }
        }
    }

    @Test("A client that half-closes after several requests gets all answers")
    func halfClosing() throws {
        try withFileWatchServer { server in
            for path in ["/", "/snapshot"] {
                let client = try Client(port: server.httpPort)
                let requests = (1...20).map { _ in Self.request("/") }.joined()
                try client.send(Array(requests) + Self.request(path))
                try client.closeOutput()
                let text = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
                #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 22)
                #expect(text.hasSuffix(path == "/" ? "</html>\n" : "]}\n"))
            }
        }
    }

    @Test("Clients that stall are disconnected; one that reads slowly but steadily is not")
    func stalling() throws {
        try withFullHistory(["--http-patience", "16s"]) { server in
            let port = server.httpPort
            let answer = Watched<[UInt8]?>(nil)
            let hasBegun = Gate()
            let reader = UserThread {
                let bytes = try? Self.readSlowly(port: port) { hasBegun.open() }
                answer.update { $0 = bytes }
            }
            #expect(hasBegun.waitUntilOpen(seconds: Patience.seconds))
            let events = Self.request("/events?since=0")
            let beginnings = [events, Array("G".utf8), []]
            let stalled = try (0..<300).map { number in
                let client = try Client(port: server.httpPort)
                let isOneOfFew = number % 60 == 0
                try client.send(
                    isOneOfFew ? Self.request("/snapshot") : beginnings[number % beginnings.count])
                return client
            }
            #expect(try server.get("/healthz").hasPrefix("HTTP/1.1 200 "))
            #expect(try server.get("/metrics").hasPrefix("HTTP/1.1 200 "))
            for client in stalled { try client.waitUntilDropped() }
            #expect(try server.get("/").hasPrefix("HTTP/1.1 200 "))
            #expect(reader.join(seconds: 120))
            let bytes = answer.value ?? []
            #expect(bytes.count > 500_000 && bytes.suffix(3).elementsEqual("]}\n".utf8))
        }
    }

    @Test("Health checks do not wait for clients that send nothing")
    func silent() throws {
        try withFileWatchServer(arguments: ["--http-patience", "3600s"]) { server in
            let stalled = try (0..<650).map { number in
                let client = try Client(port: server.httpPort)
                if number < 250 { try client.send(Self.request("/events")) }
                if number % 2 == 0 { try client.send(Array("G".utf8)) }
                return client
            }
            // The time-out of the liveness probe in Deploy/kubernetes.
            let deadline = Deadline(afterMilliseconds: 5000)
            for path in ["/healthz", "/metrics", "/healthz"] {
                #expect(try server.get(path).hasPrefix("HTTP/1.1 200 "))
            }
            #expect(!deadline.isOver)
            let head = try Client.get("/", port: server.httpPort, method: "HEAD")
            #expect(head.hasPrefix("HTTP/1.1 503 ") && head.hasSuffix("\r\n\r\n"))
            for client in stalled { client.close() }
        }
    }

    /// A snapshot, read at 256 kbit/s.
    private static func readSlowly(
        port: UInt16, _ hasBegun: () -> Void
    ) throws -> [UInt8] {
        let client = try Client(port: port)
        try client.send(request("/snapshot"))
        var bytes = try client.receive(count: 1)
        hasBegun()
        while true {
            switch try client.receiveSome(until: Deadline(), atMost: 8192) {
            case .bytes(let part): bytes += part
            case .end: return bytes
            case .reset, .nothing: throw Trouble("it ended after \(bytes.count) bytes")
            }
            letPass(milliseconds: 250)
        }
    }
}
