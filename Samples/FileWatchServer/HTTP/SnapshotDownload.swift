import FileWatching
import RingDispatch
import RingNetwork
import SampleSupport
import WireFormats

/// `GET /snapshot`: all watched files as one JSON object, with the number of the last event that it
/// includes. Written as fast as the client reads.
final class SnapshotDownload {
    /// The tree after an event, which all downloads of this state share.
    private final class Tree: Sendable {
        let last: UInt64
        let entries: [FileTreeEntry]

        init(last: UInt64, _ entries: [FileTreeEntry]) {
            self.last = last
            self.entries = entries
        }
    }

    private struct State {
        var downloads = 0
        /// As long as a download needs it.
        weak var latest: Tree?
    }

    private let tree: Tree
    private var written = 0
    private var text: [UInt8] = []

    private static let bytesPerTurn = 64 * 1024

    /// Without a length, which is not known yet.
    private static let response = HTTPResponse(.ok, nil, contentType: "application/json")

    /// Makes one snapshot after the other.
    private static let queue = DispatchQueue(label: "file-watch-server.snapshots")

    private static let state = Locked(State())
    /// Most downloads at a time: if the tree changes, each of them needs a copy.
    private static let limit = 8

    /// Takes the connection over, and returns nil; or returns the response if there are too many
    /// downloads. Call on its queue.
    static func serve(
        _ connection: Connection, _ feed: ChangeFeed, _ watcher: FileTreeWatcher
    ) -> HTTPResponse? {
        let isFull = state.withLock { state in
            if state.downloads == limit { return true }
            state.downloads += 1
            return false
        }
        if isFull {
            return HTTPResponse(
                .unavailable, "\(limit) other clients are downloading snapshots. Try again.\n",
                fields: "Retry-After: 1\r\n")
        }
        connection.setCloseHandler { _, _ in state.withLock { $0.downloads -= 1 } }
        // No further request is read, and a client that half-closes gets the whole answer.
        connection.pauseReceiving()
        connection.setEndHandler { _ in }
        connection.setWritableHandler(nil)
        // At a shutdown it goes on until it is complete, or the deadline resets the connection.
        connection.setDrainHandler { _ in }
        connection.send(response.bytes(keepsAlive: false, hasBody: false))
        queue.async {
            guard isWaiting(connection) else { return }
            let done = DispatchSemaphore(value: 0)
            watcher.snapshot { entries in
                // Events are published on this queue, so none can slip in between.
                let last = feed.last
                let tree = state.withLock { state in
                    if let tree = state.latest, tree.last == last { return tree }
                    let tree = Tree(last: last, entries)
                    state.latest = tree
                    return tree
                }
                begin(tree, feed, connection)
                done.signal()
            }
            done.wait()
        }
        return nil
    }

    private static func begin(_ tree: Tree, _ feed: ChangeFeed, _ connection: Connection) {
        connection.queue.async {
            let download = SnapshotDownload(tree)
            download.begin(feed)
            download.write(to: connection)
            connection.setWritableHandler { download.write(to: $0) }
        }
    }

    /// Whether the client is still there. If it has left, the kernel has refused the head, and
    /// sending the text's first byte fails.
    private static func isWaiting(_ connection: Connection) -> Bool {
        connection.queue.sync {
            connection.send(Array("{".utf8))
            return connection.state == .active
        }
    }

    private init(_ tree: Tree) { self.tree = tree }

    private func begin(_ feed: ChangeFeed) {
        let value = JSONValue.object([
            ("instance", .string(feed.instance)), ("sequence", .integer(tree.last)),
            ("roots", .array(feed.rootBytes.map { .string($0) })), ("entries", .array([])),
        ])
        text = Array(value.bytes.dropFirst("{".utf8.count).dropLast("]}".utf8.count))
    }

    private func write(to connection: Connection) {
        while connection.state == .active, connection.isWritable {
            while written < tree.entries.count, text.count < Self.bytesPerTurn {
                if written > 0 { text.append(UInt8(ascii: ",")) }
                text += Self.json(tree.entries[written]).bytes
                written += 1
            }
            let isLast = written == tree.entries.count
            if isLast { text += "]}\n".utf8 }
            connection.send(text)
            text.removeAll(keepingCapacity: true)
            if isLast { return connection.close() }
        }
    }

    private static func json(_ entry: FileTreeEntry) -> JSONValue {
        var members = JSONValue.path("path", entry.path.bytes)
        members.append(("kind", .string(entry.kind.rawValue)))
        if entry.kind != .directory {
            members.append(("size", .integer(entry.size)))
            members.append(("modified", .seconds(nanoseconds: entry.modifiedNanoseconds)))
        }
        return .object(members)
    }
}
