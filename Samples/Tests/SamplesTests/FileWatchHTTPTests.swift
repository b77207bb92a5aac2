import Foundation
import Testing

/// FileWatchServer over HTTP.
@Suite("FileWatchServer's HTTP", .watchdog)
struct FileWatchHTTPTests {
    /// Writes a file, and returns once the server has reported it to a client.
    private func report(_ name: String, _ server: FileWatchProcess) throws {
        let witness = try server.connect()
        try server.folder.write(name)
        _ = try witness.event(of: server.folder.path(name))
    }

    @Test("/events sends changes as server-sent events with ids", arguments: Setting.usable)
    func events(setting: Setting) throws {
        try withFileWatchServer(setting) { server in
            let stream = try server.events()
            #expect(stream.head.first == "HTTP/1.1 200 OK")
            #expect(stream.head.contains("Content-Type: text/event-stream; charset=utf-8"))
            try server.folder.write("a")
            let (id, event) = try stream.next()
            #expect(event.path == server.folder.path("a"))
            #expect(event.event == "created")
            #expect(id == "\(try server.instance())-\(event.sequence)")
        }
    }

    @Test("A client that lost /events before the first event resumes at its start")
    func resumingAtStart() throws {
        try withFileWatchServer { server in
            let first = try server.events()
            let id = try first.nextID()
            first.close()
            try report("a", server)
            let again = try server.events(headers: "Last-Event-ID: \(id)\r\n")
            #expect(try again.next().event.path == server.folder.path("a"))
        }
    }

    @Test("An id that this run of the server has not sent leads to a rescan")
    func foreignIDs() throws {
        try withFileWatchServer { server in
            try report("a", server)
            let instance = try server.instance()
            for id in ["0", "1", "x-1", "\(instance)-", "\(instance)-2", "\(instance)x-1", ""] {
                let stream = try server.events("?since=0", headers: "Last-Event-ID: \(id)\r\n")
                let unsure = try stream.nextID()
                let rescan = try stream.next()
                #expect(rescan.event.event == "rescan", "\(id)")
                #expect(rescan.id == "\(instance)-1")
                // It may have been lost before the client received the rescan.
                let again = try server.events(headers: "Last-Event-ID: \(unsure)\r\n")
                #expect(try again.next().event.event == "rescan", "\(unsure)")
            }
        }
    }

    @Test("A client of /events that half-closes gets the pending events, and then the end")
    func halfClosing() throws {
        try withFileWatchServer { server in
            try report("a", server)
            for _ in 1...20 {
                let client = try Client(port: server.httpPort)
                try client.send(Array("GET /events?since=0 HTTP/1.0\r\n\r\n".utf8))
                try client.closeOutput()
                let text = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
                #expect(text.contains("\"event\":\"created\""))
            }
        }
    }

    @Test("/events resumes after Last-Event-ID or since, and accepts paths and globs")
    func resuming() throws {
        try withFileWatchServer { server in
            let folder = server.folder
            let first = try server.events()
            for name in ["a", "b b", "c", "d"] { try folder.write(name) }
            var last = ""
            for _ in 1...4 { last = try first.next().id }
            first.close()
            let instance = try server.instance()
            let count = try #require(Int(last.dropFirst(instance.count + 1)))
            let header = "Last-Event-ID: \(instance)-\(count - 1)\r\n"
            // A reconnecting browser sends both; Last-Event-ID takes precedence.
            let again = try server.events("?since=0", headers: header)
            #expect(try again.next().id == last)
            let since = try server.events("?since=0&glob=b%20*&glob=d")
            #expect(try since.next().event.path == folder.path("b b"))
            #expect(try since.next().event.path == folder.path("d"))
            let below = try server.events("?since=0&path=\(folder.path("c"))")
            #expect(try below.next().event.path == folder.path("c"))
            let late = try server.events("?since=99")
            let rescan = try late.next()
            #expect(rescan.event.event == "rescan")
            #expect(rescan.id == last)
        }
    }

    @Test(
        "An invalid query gets status 400 and the reason",
        arguments: ["?since=x", "?what=1", "?glob=", "?path="])
    func badQuery(query: String) throws {
        try withFileWatchServer { server in
            let answer = try server.get("/events" + query)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(try server.get("/healthz").hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test("/snapshot has all files, and the number of the last event included")
    func snapshot() throws {
        let prepare = { (folder: WatchedFolder) in
            try folder.make(folder: "sub")
            try folder.write("sub/file", "12345")
        }
        try withFileWatchServer(prepare: prepare) { server in
            let folder = server.folder
            let client = try server.connect()
            try folder.write("new")
            let sequence = try client.event(of: folder.path("new")).sequence
            let snapshot = try server.object("/snapshot")
            #expect(snapshot["sequence"] as? Int == sequence)
            #expect(snapshot["roots"] as? [String] == [folder.path])
            let entries = snapshot["entries"] as? [[String: Any]] ?? []
            let paths = entries.compactMap { $0["path"] as? String }
            let wanted = ["new", "sub", "sub/file"].map(folder.path(_:))
            #expect(paths.filter { $0 != folder.path } == wanted)
            let file = entries.first { $0["path"] as? String == folder.path("sub/file") }
            #expect(file?["size"] as? Int == 5)
            #expect(file?["kind"] as? String == "file")
            // A client that resumes after a snapshot misses nothing.
            let instance = try #require(snapshot["instance"] as? String)
            let stream = try server.events("?since=\(sequence)&instance=\(instance)")
            try folder.remove("new")
            #expect(try stream.next().event.event == "removed")
        }
    }

    @Test("A large snapshot is complete")
    func largeSnapshot() throws {
        let count = 5000
        let prepare = { (folder: WatchedFolder) in
            for number in 1...count { try folder.write("file number \(number)") }
        }
        try withFileWatchServer(in: .memory, prepare: prepare) { server in
            let entries = try server.object("/snapshot")["entries"] as? [Any]
            #expect((entries?.count ?? 0) >= count)
        }
    }

    @Test(
        "HEAD gets the head of GET",
        arguments: ["/", "/status", "/nothing", "/snapshot", "/events", "/events?since=x"])
    func heads(path: String) throws {
        try withFileWatchServer { server in
            let head = try Client.get(path, port: server.httpPort, method: "HEAD")
            #expect(head.hasSuffix("\r\n\r\n"))
            let isStream = path == "/snapshot" || path == "/events"
            let status = path == "/nothing" ? 404 : path.hasSuffix("x") ? 400 : 200
            #expect(head.hasPrefix("HTTP/1.1 \(status) "))
            #expect(head.contains("Content-Length: ") != isStream)
            if isStream { return }
            let whole = try server.get(path)
            #expect(whole.contains("\r\nDate: ") && head.contains("\r\nDate: "))
            #expect(Self.undated(whole).hasPrefix(Self.undated(head)) && whole.count > head.count)
        }
    }

    /// Without the Date field, which is another one after a second.
    private static func undated(_ answer: String) -> String {
        answer.split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("Date: ") }.joined(separator: "\r\n")
    }

    @Test("All answers have their time", arguments: ["/", "/snapshot", "/events", "/nothing"])
    func dates(path: String) throws {
        try withFileWatchServer { server in
            let client = try Client(port: server.httpPort)
            try client.send(Array("GET \(path) HTTP/1.0\r\n\r\n".utf8))
            try client.closeOutput()
            let answer = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            let line = answer.split(separator: "\r\n").first { $0.hasPrefix("Date: ") }
            let text = String(try #require(line))
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(secondsFromGMT: 0)
            format.dateFormat = "'Date:' EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let date = try #require(format.date(from: text), "\(text)")
            #expect(-60...0 ~= date.timeIntervalSinceNow, "\(text)")
        }
    }

    @Test(
        "The target may be absolute; then its host counts",
        arguments: [
            ("GET http://localhost:8088/status", "localhost:8088", 200),
            ("GET HTTP://127.0.0.1/healthz", "evil.example", 200),
            ("GET http://evil.example/status", "localhost", 403),
            ("GET http:///status", "localhost", 400), ("OPTIONS *", "localhost", 405),
            ("GET *", "localhost", 400),
        ])
    func targets(line: String, host: String, status: Int) throws {
        try withFileWatchServer { server in
            let client = try Client(port: server.httpPort)
            let head = "\(line) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            try client.send(Array(head.utf8))
            let answer = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
            #expect(answer.contains("Allow: GET, HEAD\r\n") == (status == 405))
        }
    }

    @Test("An empty line before a request is ignored")
    func emptyLine() throws {
        try withFileWatchServer { server in
            let client = try Client(port: server.httpPort)
            let request = "\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send(Array((request + request).utf8))
            try client.closeOutput()
            let answer = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(answer.ranges(of: "HTTP/1.1 200 OK\r\n").count == 2, "\(answer)")
        }
    }

    @Test(
        "A client that sends more than the server reads gets its answer",
        arguments: [
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n", 405),
            ("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n", 403),
            ("GET / HTTP/1.1\r\nX: ", 431),
        ])
    func unreadBytes(head: String, status: Int) throws {
        try withFileWatchServer { server in
            let client = try Client(port: server.httpPort)
            try client.send(Array(head.utf8) + Array(repeating: 120, count: 8_000_000))
            let answer = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
        }
    }

    @Test("Metrics, health, unknown paths, and requests with a foreign host")
    func others() throws {
        try withFileWatchServer { server in
            let client = try server.connect()
            try server.folder.write("a")
            _ = try client.event()
            let metrics = try server.get("/metrics")
            #expect(metrics.contains("file_watch_changes_total{event=\"created\"} 1\n"))
            #expect(metrics.contains("file_watch_clients 1\n"))
            #expect(metrics.contains("file_watch_refused_commands_total 1\n"))
            #expect(metrics.contains("file_watch_files 1\n"))
            #expect(try server.get("/healthz").hasSuffix("\r\n\r\nok\n"))
            #expect(try server.get("/nothing").hasPrefix("HTTP/1.1 404 "))
            let page = try server.get("/")
            #expect(page.contains("Content-Type: text/html; charset=utf-8"))
            #expect(page.hasSuffix("</html>\n"))
            for path in ["/snapshot", "/events", "/"] {
                let stranger = try Client(port: server.httpPort)
                let head = "GET \(path) HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                try stranger.send(Array(head.utf8))
                let answer = String(decoding: try stranger.receiveUntilEnd(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(path)")
            }
        }
    }

    @Test(
        "A foreign host cannot be hidden from the check",
        arguments: [
            ("Host: evil.example\r\nX-A: a\u{b}Host: localhost", 400),
            ("Host: evil.example\r\nX-A: a\u{2028}Host: localhost", 403),
            ("Host: evil.example\nHost: localhost", 400),
            ("Host: evil.example\r\nHost: localhost", 400), ("Host : localhost", 400),
            ("X-A: a\r\n Host: localhost", 400), ("X-A: a", 400),
            ("Host: [::1].evil.example", 400),
        ])
    func hiddenHost(fields: String, status: Int) throws {
        try withFileWatchServer { server in
            let client = try Client(port: server.httpPort)
            let head = "GET /snapshot HTTP/1.1\r\nConnection: close\r\n\(fields)\r\n\r\n"
            try client.send(Array(head.utf8))
            let answer = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(60))")
        }
    }
}
