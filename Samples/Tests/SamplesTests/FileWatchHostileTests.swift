import Foundation
import Glibc
import Testing

/// FileWatchServer and clients that take more than they should.
@Suite("FileWatchServer's hostile clients", .watchdog)
struct FileWatchHostileTests {
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
                try client.send(FileWatchProcess.request("/snapshot"))
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
            let request = FileWatchProcess.request("/")
            let requests = Array(repeatElement(request, count: count).joined())
            for client in clients { try client.send(requests) }
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

    @Test("A client that does not read its snapshot does not make those of others old")
    func oldSnapshot() throws {
        let prepare = { (folder: WatchedFolder) in
            let name = String(repeating: "e", count: 30)
            for number in 1...6000 { try folder.write("\(name) \(number)") }
        }
        // The change is not reported during the test, except by a snapshot.
        let arguments = ["--window", "10m", "--http-patience", "10m"]
        try withFileWatchServer(arguments: arguments, in: .memory, prepare: prepare) { server in
            let slow = try Client(port: server.httpPort)
            try slow.send(FileWatchProcess.request("/snapshot"))
            _ = try slow.receive(count: 10_000)
            try server.folder.write("new")
            #expect(poll { (try? server.get("/snapshot").contains("/new\"")) == true })
            slow.close()
        }
    }

    @Test("More than eight downloads of snapshots at a time are refused until one ends")
    func manySnapshots() throws {
        try withFullHistory { server in
            var clients = try (1...8).map { _ in try Client(port: server.httpPort) }
            for client in clients {
                try client.send(FileWatchProcess.request("/snapshot"))
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
                let requests = (1...20).map { _ in FileWatchProcess.request("/") }.joined()
                try client.send(Array(requests) + FileWatchProcess.request(path))
                try client.closeOutput()
                let text = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
                #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 22)
                #expect(text.hasSuffix(path == "/" ? "</html>\n" : "]}\n"))
            }
        }
    }

    @Test("Health checks do not wait for clients that send nothing")
    func silent() throws {
        try withFileWatchServer(arguments: ["--http-patience", "3600s"]) { server in
            let stalled = try (0..<650).map { number in
                let client = try Client(port: server.httpPort)
                if number < 250 { try client.send(FileWatchProcess.request("/events")) }
                if number % 2 == 0 { try client.send(Array("G".utf8)) }
                return client
            }
            // The time-out of the liveness probe in Deploy/kubernetes.
            let deadline = Deadline(afterMilliseconds: UInt64(5000 * Patience.seconds / 30))
            for path in ["/healthz", "/metrics", "/healthz"] {
                #expect(try server.get(path).hasPrefix("HTTP/1.1 200 "))
            }
            #expect(!deadline.isOver)
            let head = try Client.get("/", port: server.httpPort, method: "HEAD")
            #expect(head.hasPrefix("HTTP/1.1 503 ") && head.hasSuffix("\r\n\r\n"))
            for client in stalled { client.close() }
        }
    }
}
