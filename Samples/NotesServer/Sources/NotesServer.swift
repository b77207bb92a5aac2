import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation
import Logging
import RingConcurrency
import RingDispatch
import RingHTTP
import RingNetwork
import ServiceLifecycle

/// Notes in SQLite, over HTTP.
@main
struct NotesServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "NotesServer",
        abstract: "Serves notes over HTTP, with a page, change events and file uploads.",
        version: "NotesServer 0.1")

    @Option(help: "The IPv4 address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 chooses a free one.")
    var port: UInt16 = 8086
    @Option(help: "The folder for the database and the uploads; it is created.")
    var folder = "notes"
    @Option(help: "Seconds that requests may take after SIGTERM, at most 86400.")
    var drain = 10.0
    @Flag(help: "Log in JSON on standard output, with a line for each request.")
    var jsonLog = false

    func validate() throws {
        guard 0...86_400 ~= drain else { throw ValidationError("--drain takes 0 to 86400 seconds") }
    }

    func run() async throws {
        RingConcurrency.install()  // From here on, handlers may block.
        signal(SIGPIPE, SIG_IGN)
        var logger = Logger(label: "notes") { label -> any LogHandler in
            if jsonLog { JSONLog() } else { StreamLogHandler.standardError(label: label) }
        }
        logger.logLevel = .notice
        DispatchRuntime.setLogger(logger)  // It also gets the errors that are answered with 500.
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let uploads = folder.appendingPathComponent("files", isDirectory: true)
        try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true)
        let store = try NoteStore(path: folder.appendingPathComponent("notes.sqlite").path)
        let (feed, pool) = (ChangeFeed(), RingSocketPool.ring)
        let isLoopback = host.hasPrefix("127.")
        let routes = Routes(store: store, feed: feed, uploads: uploads, isLoopback: isLoopback)
        let handler = BodyReadingHTTPHandler(limit: .seconds(600), routes.answer)
        let server = HTTPServer(
            config: .init(
                address: try sockaddr_in.inet(ip4: host, port: port), timeout: 660,
                sharedRequestReplaySize: 0, pool: pool, logger: .disabled),
            handler: jsonLog ? LoggedRequests(handler: handler) : handler)
        let group = ServiceGroup(
            // Stopped in reverse order: event streams end before the server waits for them.
            // systemd is notified first, and of the start once the server listens.
            services: [
                server.service(on: pool, drainTime: .seconds(drain)), feed,
                ServiceManager.service { [logger] in
                    try await server.waitUntilListening()
                    if case .ip4(let address, let port) = await server.listeningAddress {
                        logger.notice("listening on http://\(address):\(port)/")
                    }
                },
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        do {
            try await group.run()
        } catch let error as FlyingSocks.SocketError {
            logger.critical("cannot serve on \(host):\(port): \(error.localizedDescription)")
            throw ExitCode.failure
        }
        let count = try store.count()
        logger.notice("stopped; \(count) notes")
    }
}
