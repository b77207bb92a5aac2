import FileWatching
import Glibc
import RingDispatch
import RingNetwork
import SampleSupport
import Synchronization
import SystemPackage

/// The watcher, the listeners and the HTTP port.
final class Server: Sendable {
    /// Stored (releasing) before the main thread's semaphore is signalled, loaded (acquiring) after
    /// the wait.
    let isStopping = Atomic<Bool>(false)
    /// A folder that the program was to watch cannot be watched. Ordered like `isStopping`.
    let hasBlindRoot = Atomic<Bool>(false)
    private let roots: [FilePath]
    private let feed: ChangeFeed
    private let watcher: FileTreeWatcher
    private let runner: CommandRunner?
    private let tcp: Listener
    private let unix: Listener?
    private let http: HTTPService

    /// Most line clients at the same time; further ones wait in the backlog.
    private static let clientLimit = 1024
    /// How long clients may take to receive their data during shutdown.
    private static let drainSeconds = 2
    /// Further errors of files are only counted.
    private static let reportedErrorLimit = 20

    /// Resolves the paths and binds all sockets; errors show before the tree is scanned.
    init(
        _ watching: WatchOptions, _ addresses: AddressOptions, _ running: RunOptions
    ) throws {
        let roots = try watching.paths.map { try Self.absolute($0) }
        let runner = running.run.map { CommandRunner(command: $0, quiet: running.settle) }
        let feed = ChangeFeed(roots: roots, historyLimit: watching.history) { changes in
            runner?.note(changes.count)
        }
        let watcher = try FileTreeWatcher(
            roots, options: watching.treeOptions, queue: .global())
        var options = ListenerOptions()
        options.connectionLimit = Self.clientLimit
        // A client that stops reading gets one rescan in place of what it has missed.
        options.connection.timeouts.send = .never
        tcp = try ListeningAddress.first(host: addresses.host, port: addresses.port) {
            try Listener($0, options: options)
        }
        unix = try addresses.unix.map { try Listener(Endpoint("unix:" + $0), options: options) }
        let endpoint = tcp.endpoint.withPort(addresses.httpPort)
        let routes = Routes(
            feed: feed, watcher: watcher, runner: runner,
            isLoopback: endpoint.ipAddress?.isLoopback ?? true)
        http = try HTTPService(endpoint, patience: addresses.httpPatience) {
            routes.answer($0, $1)
        }
        (self.feed, self.watcher, self.runner, self.roots) = (feed, watcher, runner, roots)
    }

    /// Makes the path absolute: clients do not know the server's working directory.
    private static func absolute(_ path: String) throws -> FilePath {
        let path = FilePath(path)
        guard path.isRelative else { return path }
        guard let folder = getcwd(nil, 0) else {
            throw Failure(
                "\(path): no working directory (\(String(cString: strerror(errno)))). "
                    + "Give absolute paths, or start in another directory")
        }
        defer { free(folder) }
        var absolute = FilePath(platformString: folder)
        absolute.append(path.components.filter { $0.kind != .currentDirectory })
        return absolute
    }

    /// - Parameter ready: called when all watches are in place.
    func watch(ready: @escaping @Sendable () -> Void) {
        watcher.setEventHandler { [feed] in feed.publish($0) }
        watcher.setErrorHandler { [feed, roots, weak self] error in
            if ![.queueLimit, .sharedFileSystem].contains(error.reason),
                roots.contains(error.path)
            {
                self?.hasBlindRoot.store(true, ordering: .releasing)
            }
            let count = feed.noteWatchError()
            guard count <= Self.reportedErrorLimit else { return }
            writeErrorLine(
                count == Self.reportedErrorLimit
                    ? "FileWatchServer: further errors are only counted, in /metrics"
                    : "FileWatchServer: \(error)")
        }
        watcher.setReadyHandler(ready)
        watcher.activate()
    }

    func activate() {
        for listener in [tcp, unix].compactMap({ $0 }) {
            listener.setConnectionHandler { [feed] in LineClient.serve($0, feed) }
            let shortage = RepeatedErrorLine()
            listener.setErrorHandler { _, error in
                shortage.write("FileWatchServer: cannot accept: \(error.cause)")
            }
            listener.activate()
        }
        http.activate()
    }

    var announcement: String {
        let others = unix.map { ", \($0.endpoint)" } ?? ""
        return "listening on \(tcp.endpoint), http://\(http.endpoint)/\(others)"
    }

    /// Stops accepting, sends the queued data, and returns the summary. Blocks until all
    /// connections are closed, so it must not run on a queue.
    func stop() -> String {
        let ended = DispatchGroup()
        let deadline = DispatchTime.now() + .seconds(Self.drainSeconds)
        for listener in [tcp, unix].compactMap({ $0 }) {
            ended.enter()
            listener.shutdown(deadline: deadline) { _ in ended.leave() }
        }
        ended.enter()
        watcher.setCancelHandler { ended.leave() }
        // Snapshots that are under way need the watcher.
        http.shutdown(deadline: deadline) { [watcher] in watcher.cancel() }
        runner?.stop()
        // A file system that does not answer blocks the watcher for ever.
        if ended.wait(timeout: deadline + .seconds(Self.drainSeconds)) == .timedOut {
            writeErrorLine("FileWatchServer: a folder's file system does not answer")
        }
        return summary
    }

    private var summary: String {
        let figures = feed.figures
        var parts = ["reported \(figures.last) changes to \(figures.subscribed) clients"]
        if figures.clientRescans > 0 { parts.append("\(figures.clientRescans) fell behind") }
        let overflows = watcher.statistics.overflows
        if overflows > 0 { parts.append("the kernel's queue overflowed \(overflows) times") }
        if figures.watchErrors > 0 { parts.append("\(figures.watchErrors) errors with files") }
        if let runs = runner?.counts {
            parts.append("\(runs.successes) runs succeeded, \(runs.failures) failed")
        }
        return parts.joined(separator: ", ")
    }
}
