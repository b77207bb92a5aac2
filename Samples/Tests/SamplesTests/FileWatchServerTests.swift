import Glibc
import Testing

/// Changes in a folder, over real connections.
@Suite("FileWatchServer", .watchdog)
struct FileWatchServerTests {
    @Test("Each change is a line of JSON, numbered without gaps", arguments: Setting.usable)
    func lines(setting: Setting) throws {
        try withFileWatchServer(setting) { server in
            let (client, folder) = (try server.connect(), server.folder)
            let start = Double(time(nil))
            try folder.write("a.txt")
            let created = try client.event(of: folder.path("a.txt"))
            #expect(created.event == "created")
            #expect(created.kind == "file")
            #expect(created.from == nil)
            #expect(created.seconds >= start && created.seconds < start + 60)
            try folder.append("more", to: "a.txt")
            #expect(try client.event().event == "modified")
            try folder.move("a.txt", to: "b.txt")
            let renamed = try client.event()
            #expect(renamed.event == "renamed")
            #expect(renamed.path == folder.path("b.txt"))
            #expect(renamed.from == folder.path("a.txt"))
            try folder.make(folder: "new")
            let made = try client.event()
            #expect(made.event == "created" && made.kind == "directory")
            try folder.write("new/inside")
            #expect(try client.event().path == folder.path("new/inside"))
            try folder.remove("b.txt")
            let removed = try client.event()
            #expect(removed.event == "removed" && removed.path == folder.path("b.txt"))
            #expect(removed.sequence - created.sequence == 5)
        }
    }

    @Test("With window 0 nothing is merged")
    func rawEvents() throws {
        try withFileWatchServer(arguments: ["--window", "0"]) { server in
            let (client, folder) = (try server.connect(), server.folder)
            try folder.write("a")
            try folder.remove("a")
            try folder.write("end")
            var events = try client.events(to: folder.path("end"))
            #expect(events.first?.event == "created")
            // If the server was too late to see the file, a scan of the folder finds the removal,
            // possibly after `end`.
            while !events.contains(where: { $0.event == "removed" }) {
                events.append(try client.event())
            }
        }
    }

    @Test(
        "A Unix socket serves the same lines, and is removed at the end",
        arguments: Setting.usable)
    func unixSocket(setting: Setting) throws {
        let place = Folder()
        let path = place.path + "/watch"
        try withFileWatchServer(setting, arguments: ["--unix", path]) { server in
            #expect(server.process.output.text.contains(", unix:\(path)\n"))
            let client = try LineReader(try .unix(path: path)).greeted()
            let other = try server.connect()
            try server.folder.write("a")
            let wanted = server.folder.path("a")
            #expect(try client.event(of: wanted).event == "created")
            #expect(try other.event(of: wanted).event == "created")
            #expect(try server.end() == .exit(0), "\(server.process.words)")
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test("A client chooses paths and globs, and may change them")
    func choosing() throws {
        try withFileWatchServer(prepare: { try $0.make(folder: "src") }) { server in
            let folder = server.folder
            let client = try server.connect()
            let all = try server.connect()
            try client.send(#"{"paths":["src"],"globs":["*.swift","docs/**/*.md"]}"#)
            // The answer to garbage proves that the previous line was read.
            _ = try client.greeted()
            for name in ["a.swift", "src/a.c", "src/b.swift", "c.swift", "src/end.swift"] {
                try folder.write(name)
            }
            let events = try client.events(to: folder.path("src/end.swift"))
            #expect(
                Set(events.map(\.path)) == [
                    folder.path("src/b.swift"), folder.path("src/end.swift"),
                ])
            _ = try all.events(to: folder.path("src/end.swift"))
            try client.send(#"{"globs":["?.[ch]","**/x/*"]}"#)
            _ = try client.greeted()
            try folder.write("ab.c")
            try folder.write("src/z.h")
            try folder.write("last.c")
            try folder.write("z.c")
            let others = try client.events(to: folder.path("z.c"))
            #expect(Set(others.map(\.path)) == [folder.path("src/z.h"), folder.path("z.c")])
            // A change of a folder affects the chosen paths in it.
            try client.send(#"{"paths":["\#(folder.path("src/z.h"))"]}"#)
            _ = try client.greeted()
            try folder.move("src", to: "lib")
            let moved = try client.event()
            #expect(moved.event == "renamed" && moved.from == folder.path("src"))
        }
    }

    @Test("A client resumes after its last event")
    func resuming() throws {
        try withFileWatchServer { server in
            let folder = server.folder
            let first = try server.connect()
            try folder.write("a")
            let last = try first.event(of: folder.path("a"))
            first.client.close()
            for name in ["b", "c", "d"] { try folder.write(name) }
            let witness = try server.connect()
            try witness.send(#"{"since":0}"#)
            _ = try witness.events(to: folder.path("d"))

            let second = try server.connect()
            try second.send(#"{"since":\#(last.sequence)}"#)
            let events = try second.events(to: folder.path("d"))
            #expect(Set(events.map(\.path)) == Set(["b", "c", "d"].map(folder.path(_:))))
            #expect(events.map(\.sequence) == Array((last.sequence + 1)...(last.sequence + 3)))
            // A client that half-closes receives the pending events, then the end.
            try second.send(#"{"since":0,"globs":["c"]}"#)
            try second.client.closeOutput()
            #expect(try second.event().path == folder.path("c"))
            #expect(try second.line() == nil)
        }
    }

    @Test("A position too old, or of another server, gives one rescan", arguments: Setting.usable)
    func tooOld(setting: Setting) throws {
        try withFileWatchServer(setting, arguments: ["--history", "4"]) { server in
            let folder = server.folder
            let witness = try server.connect()
            var last = 0
            // One by one: more events at once than the history holds would cause a rescan for all
            // clients.
            for number in 1...8 {
                try folder.write("\(number)")
                last = try witness.event().sequence
            }
            let resumptions = [
                #"{"since":1}"#, #"{"since":1000}"#, #"{"since":7,"instance":"other"}"#,
            ]
            for (number, resumption) in resumptions.enumerated() {
                let client = try server.connect()
                try client.send(resumption)
                let rescan = try client.event()
                #expect(rescan.event == "rescan", "\(resumption)")
                #expect(rescan.path == folder.path)
                #expect(rescan.sequence == last)
                try folder.write("after \(number)")
                let next = try client.event()
                #expect(next.path == folder.path("after \(number)"))
                last = next.sequence
                try client.send(#"{"since":\#(last - 2)}"#)
                #expect(try client.event().sequence == last - 1)
            }
            #expect(try server.get("/metrics").contains("file_watch_client_rescans_total 3\n"))
        }
    }

    @Test("Garbage is answered with the reason, and other clients are not affected")
    func garbage() throws {
        try withFileWatchServer { server in
            let (client, other) = (try server.connect(), try server.connect())
            let lines = [
                "{", "[]", "\u{0}\u{1}", #"{"paths":"a"}"#, #"{"paths":[1]}"#, #"{"since":-1}"#,
                #"{"since":1.5}"#, #"{"since":99999999999999999999}"#, #"{"sinze":1}"#,
                #"{"globs":[""]}"#, #"{"a":"\ud800"}"#, #"{"since":1} x"#, "GET / HTTP/1.1",
                String(repeating: "[", count: 30_000),
                "{\"globs\":[" + Array(repeating: "\"a\"", count: 65).joined(separator: ",") + "]}",
            ]
            for line in lines {
                try client.send(line)
                let error = try client.event().error
                #expect(error?.contains(#"{"paths":["src"]"#) == true, "\(line.prefix(40))")
            }
            try server.folder.write("a")
            for each in [client, other] {
                #expect(try each.event().path == server.folder.path("a"))
            }
            let endless = try server.connect()
            // Far more than the socket's buffers hold: the server goes on receiving.
            try endless.client.send([UInt8](repeating: 0x61, count: 32 << 20))
            #expect(try endless.event().error?.contains("longer than 65536 bytes") == true)
            #expect(try endless.line() == nil)
            try server.folder.write("b")
            #expect(try other.event().path == server.folder.path("b"))
            #expect(try server.end() == .exit(0), "\(server.process.words)")
        }
    }

    @Test("A client that stops reading gets one rescan, delays no other, and memory stays bounded")
    func slowClient() throws {
        let (batches, filesPerBatch) = isDeep ? (16, 2000) : (10, 200)
        let name = String(repeating: "n", count: 230)
        let place = Folder()
        let arguments = [
            "--window", "0", "--history", String(filesPerBatch + 50), "--unix", place("watch"),
        ]
        let prepare = { (folder: WatchedFolder) in try folder.make(folder: name) }
        try withFileWatchServer(arguments: arguments, in: .memory, prepare: prepare) { server in
            let folder = server.folder
            // The kernel buffers less for a Unix socket than for TCP.
            let slow = try LineReader(try .unix(path: place("watch"))).greeted()
            let witness = try server.connect()
            let before = try ProcessInformation.residentBytes(server.process.processID)
            // More in total than the kernel buffers for a client that does not read.
            for batch in 1...batches {
                for file in 1...filesPerBatch {
                    let path = "\(name)/\(name)\(file)"
                    try batch.isMultiple(of: 2) ? folder.remove(path) : folder.write(path)
                }
                try folder.write("end of \(batch)")
                _ = try witness.events(to: folder.path("end of \(batch)"))
            }
            let grown = try ProcessInformation.residentBytes(server.process.processID) - before
            #expect(grown < 24 << 20)
            #expect(try server.get("/metrics").contains("file_watch_overflows_total 0\n"))
            // The client reads the events in flight, then one rescan, then new events.
            var lines = 0
            while let line = try slow.line(), !line.contains("\"rescan\"") { lines += 1 }
            #expect(lines < batches * filesPerBatch)
            try folder.write("goes on")
            let next = try slow.event()
            #expect(next.event == "created" && next.path == folder.path("goes on"))
            #expect(try server.get("/metrics").contains("file_watch_client_rescans_total 1\n"))
        }
    }

    @Test(
        "Names with line ends and invalid UTF-8 lose nothing",
        arguments: ["0", "50ms"])
    func names(window: String) throws {
        try withFileWatchServer(arguments: ["--window", window]) { server in
            let folder = server.folder
            let client = try server.connect()
            try folder.write("two\nlines\t\"quoted\" \\ \u{1}\u{7f} ünï 日本")
            let text = try client.event()
            #expect(text.path == folder.path("two\nlines\t\"quoted\" \\ \u{1}\u{7f} ünï 日本"))
            #expect(text.pathBytes == nil)
            for name: [UInt8] in [[0xff], [0x61, 0xc3, 0x62], [0x0a, 0x80, 0xe2, 0x82]] {
                let path = Array(folder.path.utf8) + [0x2f] + name
                let descriptor = open(
                    (path + [0]).map { CChar(bitPattern: $0) },
                    O_CREAT | O_WRONLY, 0o644)
                #expect(descriptor >= 0)
                close(descriptor)
                var event = try client.event()
                while event.event != "created" { event = try client.event() }
                #expect(event.pathBytes == path)
                #expect(event.path.contains("\u{fffd}"))
            }
            let snapshot = try server.object("/snapshot")
            let entries = snapshot["entries"] as? [[String: Any]] ?? []
            #expect(entries.filter { $0["pathBytes"] != nil }.count == 3)
        }
    }
}
