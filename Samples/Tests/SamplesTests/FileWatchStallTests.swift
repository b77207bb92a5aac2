import Testing

/// FileWatchServer and clients that stall. Takes half a minute, and mostly waits.
@Suite("FileWatchServer's stalling clients", .waitingWatchdog)
struct FileWatchStallTests {
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
            let events = FileWatchProcess.request("/events?since=0")
            let snapshot = FileWatchProcess.request("/snapshot")
            let beginnings = [events, Array("G".utf8), []]
            let stalled = try (0..<300).map { number in
                let client = try Client(port: server.httpPort)
                let isOneOfFew = number % 60 == 0
                try client.send(isOneOfFew ? snapshot : beginnings[number % beginnings.count])
                return client
            }
            #expect(try server.get("/healthz").hasPrefix("HTTP/1.1 200 "))
            #expect(try server.get("/metrics").hasPrefix("HTTP/1.1 200 "))
            for client in stalled { try client.waitUntilDropped() }
            #expect(try server.get("/").hasPrefix("HTTP/1.1 200 "))
            #expect(reader.join(seconds: 4 * Patience.seconds))
            let bytes = answer.value ?? []
            #expect(bytes.count > 500_000 && bytes.suffix(3).elementsEqual("]}\n".utf8))
        }
    }

    /// A snapshot, read at 256 kbit/s.
    private static func readSlowly(
        port: UInt16, _ hasBegun: () -> Void
    ) throws -> [UInt8] {
        let client = try Client(port: port)
        try client.send(FileWatchProcess.request("/snapshot"))
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
