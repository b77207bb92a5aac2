import FileWatching
import RingDispatch
import RingNetwork
import WireFormats

/// `GET /snapshot`: all that is there, as one JSON object, and the number of the last event that it
/// comes after. It is written as the client takes it.
final class SnapshotDownload: @unchecked Sendable {
    // Safety: used on the connection's queue only, once the entries are there.
    private let entries: [WatchedEntry]
    private var written = 0
    private var writer = JSONWriter()

    private static let bytesPerTurn = 64 * 1024

    private static let head = """
        HTTP/1.1 200 OK\r
        Content-Type: application/json\r
        Cache-Control: no-store\r
        Connection: close\r
        \r

        """

    /// Takes the connection over, on its queue.
    static func serve(_ connection: Connection, _ feed: ChangeFeed, _ watcher: FileTreeWatcher) {
        // Nothing more is read of the client, and its end shows when it is written to.
        connection.pauseReceiving()
        watcher.snapshot { entries in
            // On the watcher's queue, where events are published: none comes in between.
            let last = feed.last
            connection.queue.async {
                let download = SnapshotDownload(entries)
                download.begin(feed, last: last)
                connection.setWritableHandler { download.write(to: $0) }
                connection.send(Array(head.utf8))
                download.write(to: connection)
            }
        }
    }

    private init(_ entries: [WatchedEntry]) { self.entries = entries }

    private func begin(_ feed: ChangeFeed, last: UInt64) {
        writer.beginObject()
        writer.name("instance")
        writer.string(feed.instance)
        writer.name("sequence")
        writer.integer(last)
        writer.name("roots")
        writer.beginArray()
        for root in feed.rootBytes { writer.string(root) }
        writer.endArray()
        writer.name("entries")
        writer.beginArray()
    }

    private func write(to connection: Connection) {
        while connection.state == .active, connection.isWritable {
            while written < entries.count, writer.bytes.count < Self.bytesPerTurn {
                writer.entry(entries[written])
                written += 1
            }
            let isLast = written == entries.count
            if isLast {
                writer.endArray()
                writer.endObject()
                writer.endLine()
            }
            connection.send(writer.bytes)
            writer.removeAll()
            if isLast { return connection.close() }
        }
    }
}

extension JSONWriter {
    mutating func entry(_ entry: WatchedEntry) {
        beginObject()
        path("path", bytesName: "pathBytes", entry.path.bytes)
        name("kind")
        string(entry.kind.rawValue)
        if entry.kind != .directory {
            name("size")
            integer(entry.size)
            name("modified")
            seconds(nanoseconds: entry.modifiedNanoseconds)
        }
        endObject()
    }
}
