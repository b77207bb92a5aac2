import RingDispatch
import RingNetwork
import WireFormats

/// A client over TCP or a Unix socket: it gets a line of JSON for each change, and may send lines
/// that say what it wants. Confined to its connection's queue.
final class LineClient: @unchecked Sendable {
    // Safety: used on the connection's queue only.
    private let subscriber: Subscriber
    private let feed: ChangeFeed
    private var reader = FrameReader(
        DelimiterFraming.lines(maximumLength: ClientCommand.longestLine))

    private init(_ connection: Connection, _ feed: ChangeFeed) {
        self.feed = feed
        subscriber = Subscriber(connection, feed, .lines)
    }

    /// For a listener's connection handler.
    static func serve(_ connection: Connection, _ feed: ChangeFeed) {
        let client = LineClient(connection, feed)
        connection.setReceiveHandler { client.receive($1, $0) }
        connection.setEndHandler { _ in client.subscriber.finish() }
        connection.setCloseHandler { _, _ in client.subscriber.end() }
        connection.activate()
        // A line of the client's may come first, and begins, too.
        connection.queue.async { client.subscriber.begin() }
    }

    private func receive(_ bytes: RawSpan, _ connection: Connection) {
        do {
            try reader.receive(bytes) { line in
                let line = line.withUnsafeBytes { Array($0) }
                if !line.isEmpty { apply(line, connection) }
            }
        } catch {
            // Where the next line would begin is not known.
            refuse(
                "a line is longer than \(ClientCommand.longestLine) bytes: the connection is "
                    + "closed. Send fewer paths and globs", connection)
            connection.close()
        }
    }

    private func apply(_ line: [UInt8], _ connection: Connection) {
        guard connection.state == .active else { return }
        // Who has been answered is told of what comes after, whatever the line was.
        subscriber.begin()
        do {
            subscriber.apply(try ClientCommand(line: line))
        } catch {
            refuse(error.words, connection)
        }
    }

    /// What the client wanted before stays.
    private func refuse(_ words: String, _ connection: Connection) {
        guard connection.state == .active else { return }
        feed.noteRefusedCommand()
        // The kernel has no room for one who only asks: it need not be told each time.
        guard connection.isWritable else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("error")
        writer.string(words)
        writer.endObject()
        writer.endLine()
        connection.send(writer.bytes)
    }
}
