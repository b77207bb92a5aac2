import Foundation
import Glibc

/// A running FileWatchServer, and the folder that it watches.
struct FileWatchProcess {
    let process: ChildProcess
    let folder: WatchedFolder
    let port: UInt16
    let httpPort: UInt16

    /// Connects a line client and waits until the server has answered an invalid line, so that the
    /// client is registered.
    func connect() throws -> LineReader {
        try LineReader(try Client(port: port)).greeted()
    }

    /// - Parameter headers: header lines, each with its line end.
    func events(_ query: String = "", headers: String = "") throws -> EventReader {
        let client = try Client(port: httpPort)
        try client.send(
            Array("GET /events\(query) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n".utf8))
        return try EventReader(client)
    }

    /// The name of this run of the server.
    func instance() throws -> String {
        guard let name = try object("/status")["instance"] as? String else {
            throw Trouble("/status has no instance")
        }
        return name
    }

    func get(_ path: String) throws -> String { try Client.get(path, port: httpPort) }

    /// The body of a response, as JSON.
    func object(_ path: String) throws -> [String: Any] {
        let answer = try get(path)
        guard let end = answer.firstRange(of: "\r\n\r\n") else {
            throw Trouble("no head: \(answer)")
        }
        return try jsonObject(String(answer[end.upperBound...]))
    }

    func end(by signal: Int32 = SIGTERM) throws -> Ending {
        process.send(signal)
        return try process.waitForEnd()
    }
}

/// Starts a server on a folder of its own, runs `body`, and ends the server in any case.
/// - Parameter location: memory for thousands of files; ext4 is slow when others were just removed.
func withFileWatchServer<Result>(
    _ setting: Setting = .epoll, arguments: [String] = [], in location: Folder.Place = .temporary,
    prepare: (WatchedFolder) throws -> Void = { _ in },
    _ body: (FileWatchProcess) throws -> Result
) throws -> Result {
    let folder = WatchedFolder(temporary: Folder(location))
    try prepare(folder)
    let process = try Program.fileWatchServer.start(
        [folder.path, "--port", "0", "--http-port", "0"] + arguments, setting)
    defer { process.send(SIGKILL) }
    let places = try process.output.waitForLine(beginning: "listening on 127.0.0.1:")
    let parts = places.split(separator: ", ")
    guard parts.count > 1, let port = UInt16(parts[0]), parts[1].hasPrefix("http://127.0.0.1:"),
        let httpPort = UInt16(parts[1].dropFirst(17).dropLast())
    else { throw Trouble("it listens on '\(places)'") }
    let server = FileWatchProcess(
        process: process, folder: folder, port: port, httpPort: httpPort)
    do {
        return try body(server)
    } catch {
        throw Trouble("\(error) [\(process.wordsAtTheEnd)]")
    }
}

func jsonObject(_ text: String) throws -> [String: Any] {
    let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let object = value as? [String: Any] else { throw Trouble("no JSON object: '\(text)'") }
    return object
}
