import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation
import Logging
import RingConcurrency
import RingHTTP
import ServiceLifecycle

/// Notes in SQLite, over HTTP.
@main
struct NotesServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves notes over HTTP, with a page, change events and file uploads.",
        version: "NotesServer 0.1")

    @Option(help: "The IPv4 address to listen on.")
    var host = "127.0.0.1"
    @Option(help: "The port; 0 chooses a free one.")
    var port: UInt16 = 8086
    @Option(help: "The folder for the database and the uploads; it is created.")
    var folder = "notes"
    @Option(help: "Seconds that requests may take after SIGTERM.")
    var drain = 10.0

    func run() async throws {
        // From here on, handlers may block.
        RingConcurrency.install()
        var logger = Logger(label: "notes") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        logToLogger(logger)
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let uploads = folder.appendingPathComponent("files", isDirectory: true)
        try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true)
        let store = try NoteStore(path: folder.appendingPathComponent("notes.sqlite").path)
        let (feed, pool) = (ChangeFeed(), RingSocketPool.ring)
        let server = HTTPServer(
            address: try sockaddr_in.inet(ip4: host, port: port), timeout: 600, pool: pool,
            logger: .disabled, handler: Routes(store: store, feed: feed, uploads: uploads))
        let group = ServiceGroup(
            // Stopped in reverse order: event streams end before the server waits for them.
            services: [server.service(on: pool, drainTime: drain), feed],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        async let ended: Void = group.run()
        try await server.waitUntilListening()
        if case .ip4(let address, let port) = await server.listeningAddress {
            logger.notice("listening on http://\(address):\(port)/")
        }
        try await ended
        let count = try store.count()
        logger.notice("stopped; \(count) notes")
    }
}
