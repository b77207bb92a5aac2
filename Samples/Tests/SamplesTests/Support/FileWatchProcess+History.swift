extension FileWatchProcess {
    static func request(_ path: String) -> [UInt8] {
        Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    }
}

/// A server whose tree has many files, each with one event in the history.
func withFullHistory(
    _ arguments: [String] = [], _ body: (FileWatchProcess) throws -> Void
) throws {
    let fileCount = 6000
    try withFileWatchServer(arguments: ["--window", "0"] + arguments, in: .memory) { server in
        let witness = try server.connect()
        let name = String(repeating: "e", count: 30)
        for number in 1...fileCount { try server.folder.write("\(name) \(number)") }
        _ = try witness.events(to: server.folder.path("\(name) \(fileCount)"))
        witness.client.close()
        try body(server)
    }
}
