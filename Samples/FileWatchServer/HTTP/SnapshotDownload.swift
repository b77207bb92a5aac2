import FileWatching
import RingDispatch
import RingNetwork
import SampleSupport
import WireFormats

/// `GET /snapshot`: all watched files as one JSON object, with the number of the last event that it
/// includes. Written as fast as the client reads.
final class SnapshotDownload {
    private let entries: [FileTreeEntry]
    private var written = 0
    private var text: [UInt8] = []

    private static let bytesPerTurn = 64 * 1024

    /// Without a length, which is not known yet.
    private static let response = HTTPResponse(.ok, nil, contentType: "application/json")

    /// Makes one snapshot after the other.
    private static let queue = DispatchQueue(label: "file-watch-server.snapshots")

    /// Takes the connection over. Call on its queue.
    static func serve(_ connection: Connection, _ feed: ChangeFeed, _ watcher: FileTreeWatcher) {
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
                connection.queue.async {
                    let download = SnapshotDownload(entries)
                    download.begin(feed, last: last)
                    download.write(to: connection)
                    connection.setWritableHandler { download.write(to: $0) }
                }
                done.signal()
            }
            done.wait()
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

    private init(_ entries: [FileTreeEntry]) { self.entries = entries }

    private func begin(_ feed: ChangeFeed, last: UInt64) {
        let value = JSONValue.object([
            ("instance", .string(feed.instance)), ("sequence", .integer(last)),
            ("roots", .array(feed.rootBytes.map { .string($0) })), ("entries", .array([])),
        ])
        text = Array(value.bytes.dropFirst("{".utf8.count).dropLast("]}".utf8.count))
    }

    private func write(to connection: Connection) {
        while connection.state == .active, connection.isWritable {
            while written < entries.count, text.count < Self.bytesPerTurn {
                if written > 0 { text.append(UInt8(ascii: ",")) }
                text += Self.json(entries[written]).bytes
                written += 1
            }
            let isLast = written == entries.count
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
