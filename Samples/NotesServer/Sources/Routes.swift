import FlyingFox
import Foundation
import RingDispatch
import RingHTTP
import Synchronization

/// Answers all requests. Its methods block, in SQLite and in files.
final class Routes: Sendable {
    private let store: NoteStore
    private let feed: ChangeFeed
    private let uploads: URL
    private let isLoopback: Bool
    private let requests = Atomic(0)
    private let page = String(decoding: PackageResources.page_html, as: UTF8.self)
    /// Most bytes of a note.
    private static let longestNote = 100_000

    init(store: NoteStore, feed: ChangeFeed, uploads: URL, isLoopback: Bool) {
        (self.store, self.feed, self.uploads, self.isLoopback) = (store, feed, uploads, isLoopback)
    }

    func answer(_ request: HTTPRequest, _ body: HTTPRequestBody) async throws -> HTTPResponse {
        requests.add(1, ordering: .relaxed)
        guard isAllowed(request) else { return text(.forbidden, "use localhost or an address\n") }
        let path = request.path.split(separator: "/").map(String.init)
        switch (request.method, path.first, path.count) {
        case (.GET, nil, 0): return text(.ok, page, type: "text/html")
        case (.GET, "healthz", 1): return text(.ok, "ok, \(try store.count()) notes\n")
        case (.GET, "metrics", 1): return text(.ok, try metrics())
        case (.GET, "events", 1): return feed.response()
        case (.GET, "notes", 1): return try list(request)
        case (.POST, "notes", 1): return try await add(body)
        case (_, "notes", 2): return try await note(path[1], request.method, body)
        case (.GET, "files", 2): return try download(path[1])
        case (.PUT, "files", 2): return try await upload(path[1], body)
        default: return text(.notFound, "there is no such page\n")
        }
    }

    /// False for web pages from elsewhere, which may use the visitor's browser to get here: by a
    /// name of theirs that leads to this address (DNS rebinding), or by simple requests.
    private func isAllowed(_ request: HTTPRequest) -> Bool {
        let host = (request.headers[.host] ?? "localhost").lowercased()
        let origin = request.headers[HTTPHeader("Origin")]?.lowercased() ?? "http://\(host)"
        let isLocal = host.wholeMatch(of: /(localhost|[0-9.]+|\[[0-9a-f:.]+\])(:[0-9]*)?/) != nil
        return (isLocal || !isLoopback) && ["http://\(host)", "https://\(host)"].contains(origin)
    }

    private func list(_ request: HTTPRequest) throws -> HTTPResponse {
        let limit = min(max(request.query["limit"].flatMap { Int($0) } ?? 100, 1), 1000)
        let notes = try store.notes(containing: request.query["q"] ?? "", limit: limit)
        return text(.ok, try json(notes), type: "application/json")
    }

    private func add(_ body: HTTPRequestBody) async throws -> HTTPResponse {
        guard let text = try await noteText(body) else { return noText }
        return try answer(.created, store.add(text), event: "added")
    }

    private func note(
        _ name: String, _ method: HTTPMethod, _ body: HTTPRequestBody
    ) async throws -> HTTPResponse {
        let missing = text(.notFound, "there is no note \(name)\n")
        guard let id = Int64(name) else { return missing }
        switch method {
        case .GET: return try store.note(id).map { try answer(.ok, $0) } ?? missing
        case .PUT:
            guard let text = try await noteText(body) else { return noText }
            let note = try store.change(id, to: text)
            return try note.map { try answer(.ok, $0, event: "changed") } ?? missing
        case .DELETE:
            guard try store.remove(id) else { return missing }
            feed.send(event: "removed", "{\"id\":\(id)}")
            return text(.ok, "removed note \(id)\n")
        default: return text(.methodNotAllowed, "GET, PUT or DELETE\n")
        }
    }

    private func noteText(_ body: HTTPRequestBody) async throws -> String? {
        struct NewNote: Decodable { let text: String }
        guard let note = try await body.data(atMost: Routes.longestNote) else { return nil }
        return try? JSONDecoder().decode(NewNote.self, from: note).text
    }

    private var noText: HTTPResponse {
        text(.badRequest, "send {\"text\": \"...\"}, at most \(Routes.longestNote) bytes\n")
    }

    /// The note as the answer, after the event is sent to all who listen.
    private func answer(
        _ status: HTTPStatusCode, _ note: Note, event: String? = nil
    ) throws -> HTTPResponse {
        let note = try json(note)
        if let event { feed.send(event: event, note) }
        return text(status, note, type: "application/json")
    }

    /// A file's name, without anything that leads out of the folder.
    private func file(_ name: String) -> URL? {
        name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{0,198}/) == nil
            ? nil : uploads.appendingPathComponent(name)
    }

    /// Writes the body to a file as it arrives.
    private func upload(_ name: String, _ body: HTTPRequestBody) async throws -> HTTPResponse {
        guard let file = file(name) else { return text(.badRequest, "not a file name\n") }
        let part = uploads.appendingPathComponent(".\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: part) }
        try Data().write(to: part)
        let handle = try FileHandle(forWritingTo: part)
        while let piece = try await body.next() { try handle.write(contentsOf: piece) }
        let count = try handle.offset()
        try handle.close()
        guard rename(part.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return text(.created, "\(count) bytes\n")
    }

    private func download(_ name: String) throws -> HTTPResponse {
        guard let file = file(name), FileManager.default.fileExists(atPath: file.path)
        else { return text(.notFound, "there is no such file\n") }
        let data = try Data(contentsOf: file, options: .alwaysMapped)  // PUT replaces the file.
        return HTTPResponse(
            statusCode: .ok, headers: [.contentType: "application/octet-stream"],
            body: HTTPBodySequence(data: data, suggestedBufferSize: 65_536))
    }

    /// In Prometheus's text format.
    private func metrics() throws -> String {
        let runtime = DispatchRuntime.snapshot()
        return """
            # TYPE notes_requests_total counter
            notes_requests_total \(requests.load(ordering: .relaxed))
            # TYPE notes_listeners gauge
            notes_listeners \(feed.listenerCount)
            # TYPE notes gauge
            notes \(try store.count())
            # TYPE ringdispatch_workers gauge
            ringdispatch_workers \(runtime.workers)
            # TYPE ringdispatch_take_overs_total counter
            ringdispatch_take_overs_total \(runtime.takeOvers)

            """
    }

    private func text(
        _ status: HTTPStatusCode, _ text: String, type: String = "text/plain"
    ) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: "\(type); charset=utf-8"],
            body: Data(text.utf8))
    }
}
