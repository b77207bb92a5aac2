import FlyingFox
import Foundation
import RingHTTP
import Synchronization

/// Answers all requests. Its methods block, in SQLite and in files.
final class Routes: Sendable {
    private let store: NoteStore
    private let feed: ChangeFeed
    private let uploads: URL
    private let requests = Atomic<Int>(0)
    /// Most bytes of a note.
    private static let longestNote = 100_000

    init(store: NoteStore, feed: ChangeFeed, uploads: URL) {
        self.store = store
        self.feed = feed
        self.uploads = uploads
    }

    func answer(_ request: HTTPRequest, _ body: HTTPRequestBody) async throws -> HTTPResponse {
        requests.add(1, ordering: .relaxed)
        let path = request.path.split(separator: "/").map(String.init)
        switch (request.method, path.first, path.count) {
        case (.GET, nil, 0): return page()
        case (.GET, "healthz", 1): return text(.ok, "ok, \(try store.count()) notes\n")
        case (.GET, "metrics", 1): return try metrics()
        case (.GET, "events", 1): return feed.response()
        case (.GET, "notes", 1): return try list(request)
        case (.POST, "notes", 1): return try await add(body)
        case (_, "notes", 2): return try await note(path[1], request.method, body)
        case (.GET, "files", 2): return try download(path[1])
        case (.PUT, "files", 2): return try await upload(path[1], body)
        default: return text(.notFound, "there is no such page\n")
        }
    }

    // MARK: notes

    private func list(_ request: HTTPRequest) throws -> HTTPResponse {
        let limit = min(max(request.query["limit"].flatMap { Int($0) } ?? 100, 1), 1000)
        return try json(.ok, store.notes(containing: request.query["q"] ?? "", limit: limit))
    }

    private func add(_ body: HTTPRequestBody) async throws -> HTTPResponse {
        guard let text = try await noteText(body) else { return noText }
        let note = try store.add(text)
        return try changed("added", note, .created)
    }

    private func note(
        _ name: String, _ method: HTTPMethod, _ body: HTTPRequestBody
    ) async throws -> HTTPResponse {
        let missing = text(.notFound, "there is no note \(name)\n")
        guard let id = Int64(name) else { return missing }
        switch method {
        case .GET: return try store.note(id).map { try json(.ok, $0) } ?? missing
        case .PUT:
            guard let text = try await noteText(body) else { return noText }
            return try store.change(id, to: text).map { try changed("changed", $0, .ok) } ?? missing
        case .DELETE:
            guard try store.remove(id) else { return missing }
            feed.send(event: "removed", Data("{\"id\":\(id)}".utf8))
            return HTTPResponse(statusCode: .noContent)
        default: return text(.methodNotAllowed, "GET, PUT or DELETE\n")
        }
    }

    private struct NewNote: Decodable { let text: String }

    private func noteText(_ body: HTTPRequestBody) async throws -> String? {
        var note = Data()
        while let piece = try await body.next() {
            note += piece
            guard note.count <= Routes.longestNote else { return nil }
        }
        return try? JSONDecoder().decode(NewNote.self, from: note).text
    }

    private var noText: HTTPResponse {
        text(.badRequest, "send {\"text\": \"...\"}, at most \(Routes.longestNote) bytes\n")
    }

    private func changed(
        _ event: String, _ note: Note, _ status: HTTPStatusCode
    ) throws -> HTTPResponse {
        feed.send(event: event, try Routes.encode(note))
        return try json(status, note)
    }

    // MARK: files

    /// A file's name, without anything that leads out of the folder.
    private func file(_ name: String) -> URL? {
        let isName = name.utf8.allSatisfy { byte in
            Character(UnicodeScalar(byte)).isLetter && byte < 128
                || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
        }
        return isName && name.first != "." && name.utf8.count < 200
            ? uploads.appendingPathComponent(name) : nil
    }

    /// Writes the body to a file as it arrives.
    private func upload(_ name: String, _ body: HTTPRequestBody) async throws -> HTTPResponse {
        guard let file = file(name) else { return text(.badRequest, "not a file name\n") }
        let part = uploads.appendingPathComponent(".\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: part.path, contents: nil) else {
            return text(.internalServerError, "cannot write the file\n")
        }
        defer { try? FileManager.default.removeItem(at: part) }
        let handle = try FileHandle(forWritingTo: part)
        var count = 0
        while let piece = try await body.next() {
            try handle.write(contentsOf: piece)
            count += piece.count
        }
        try handle.close()
        guard rename(part.path, file.path) == 0 else {
            return text(.internalServerError, "cannot rename the file\n")
        }
        return text(.created, "\(count) bytes\n")
    }

    private func download(_ name: String) throws -> HTTPResponse {
        guard let file = file(name), FileManager.default.fileExists(atPath: file.path) else {
            return text(.notFound, "there is no such file\n")
        }
        return HTTPResponse(
            statusCode: .ok, headers: [.contentType: "application/octet-stream"],
            body: try HTTPBodySequence(file: file, suggestedBufferSize: 65_536))
    }

    // MARK: answers

    private func page() -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: Data(PackageResources.page_html))
    }

    private func metrics() throws -> HTTPResponse {
        text(
            .ok,
            """
            # TYPE notes_requests_total counter
            notes_requests_total \(requests.load(ordering: .relaxed))
            # TYPE notes_listeners gauge
            notes_listeners \(feed.listenerCount)
            # TYPE notes gauge
            notes \(try store.count())
            \(runtimeMetrics())
            """)
    }

    private func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: Data(text.utf8))
    }

    private func json(_ status: HTTPStatusCode, _ value: some Encodable) throws -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: "application/json"],
            body: try Routes.encode(value))
    }

    private static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(value)
    }
}
