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
        // Even a refused line begins the events: its answer says that the client is registered.
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
        // A client that sends without reading does not get an answer to each line.
        guard connection.isWritable else { return }
        connection.send(JSONValue.object([("error", .string(words))]).bytes + [UInt8(ascii: "\n")])
    }
}
