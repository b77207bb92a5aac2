import FileWatching
import RingDispatch
import RingNetwork
import SampleSupport
import WireFormats

/// The responses of the HTTP port.
struct Routes: Sendable {
    let feed: ChangeFeed
    let watcher: FileTreeWatcher
    let runner: CommandRunner?
    /// True when the server listens on a loopback address.
    let isLoopback: Bool

    func answer(_ request: HTTPRequest, _ connection: Connection) -> HTTPResponse? {
        // DNS rebinding: a foreign page's name may resolve to this machine, to read from it through
        // a visitor's browser. Such requests carry that name as their host.
        guard !isLoopback || Self.isLocal(host: request.host) else {
            return HTTPResponse(
                .forbidden,
                "This server accepts local requests only: use its address, or localhost. "
                    + "--host 0.0.0.0 serves other machines.\n")
        }
        switch request.path {
        case "/": return page
        case "/events": return events(request, connection)
        case "/snapshot":
            if request.method == "HEAD" { return json(nil) }
            return SnapshotDownload.serve(connection, feed, watcher)
        case "/status": return json(status)
        case "/metrics":
            return Metrics(feed: feed, watcher: watcher, runner: runner).page.response
        case "/healthz": return HTTPResponse(.ok, "ok\n")
        default: return HTTPResponse(.notFound)
        }
    }

    private func events(_ request: HTTPRequest, _ connection: Connection) -> HTTPResponse? {
        do {
            var command = try ClientCommand(query: request.query)
            if request.method == "HEAD" { return EventStream.response }
            // A reconnecting browser sends this header; the URL still has the first `since`.
            if let last = request.head.text("last-event-id") { command.resume(after: last) }
            EventStream.serve(connection, command, feed)
            return nil
        } catch {
            feed.noteRefusedCommand()
            return HTTPResponse(.badRequest, error.description + "\n")
        }
    }

    private var page: HTTPResponse {
        HTTPResponse(
            .ok, String(decoding: PackageResources.page_html, as: UTF8.self),
            contentType: "text/html; charset=utf-8")
    }

    private func json(_ text: String?) -> HTTPResponse {
        HTTPResponse(.ok, text, contentType: "application/json")
    }

    /// The page fetches this after each connect.
    private var status: String {
        let figures = feed.figures
        let statistics = watcher.statistics
        let value = JSONValue.object([
            ("instance", .string(feed.instance)),
            ("roots", .array(feed.rootBytes.map { .string($0) })),
            ("sequence", .integer(figures.last)), ("firstSequence", .integer(figures.first)),
            ("folders", .integer(statistics.folders)), ("files", .integer(statistics.files)),
            ("clients", .integer(figures.subscribers)),
            ("overflows", .integer(statistics.overflows)),
        ])
        return String(decoding: value.bytes, as: UTF8.self) + "\n"
    }

    /// True also without a host: HTTP/1.0 clients need not send one.
    private static func isLocal(host: String?) -> Bool {
        guard let host else { return true }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return (try? IPAddress(host)) != nil
    }
}
