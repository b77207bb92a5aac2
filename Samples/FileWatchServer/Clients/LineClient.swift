import RingDispatch
import RingNetwork
import SampleSupport
import WireFormats

/// A client over TCP or a Unix socket: receives a JSON line per change, and may send lines that
/// choose changes. Runs on its connection's queue.
final class LineClient {
    private let subscriber: Subscriber
    private let feed: ChangeFeed
    private var reader = FrameReader(
        DelimiterFraming.lines(maximumLength: ClientCommand.longestLine))

    private init(_ connection: Connection, _ feed: ChangeFeed) {
        self.feed = feed
        subscriber = Subscriber(connection, feed, .lines)
    }

    static func serve(_ connection: Connection, _ feed: ChangeFeed) {
        let client = LineClient(connection, feed)
        let subscriber = client.subscriber
        connection.setReceiveHandler { client.receive($1, $0) }
        connection.setEndHandler { _ in subscriber.finish() }
        connection.setCloseHandler { _, _ in subscriber.end() }
        connection.activate()
        // Unless the client's first line, handled earlier, has started the events.
        connection.queue.async { subscriber.begin() }
    }

    private func receive(_ bytes: RawSpan, _ connection: Connection) {
        do {
            try reader.receive(bytes) { line in
                let line = line.withUnsafeBytes { Array($0) }
                if !line.isEmpty { apply(line, connection) }
            }
        } catch {
            // There is no way to find the start of the next line.
            refuse(
                "a line is longer than \(ClientCommand.longestLine) bytes: the connection is "
                    + "closed. Send fewer paths and globs", connection)
            subscriber.end()
            connection.closeDiscarding()
        }
    }

    private func apply(_ line: [UInt8], _ connection: Connection) {
        guard connection.state == .active else { return }
        // Even for a refused line: its answer implies that the client is registered.
        subscriber.begin()
        do {
            subscriber.apply(try ClientCommand(line: line))
        } catch {
            refuse(error.description, connection)
        }
    }

    /// Reports the error; the client's earlier choice stays in force.
    private func refuse(_ words: String, _ connection: Connection) {
        guard connection.state == .active else { return }
        feed.noteRefusedCommand()
        // A client that sends without reading gets no answer to every line.
        guard connection.isWritable else { return }
        connection.send(JSONValue.object([("error", .string(words))]).bytes + [UInt8(ascii: "\n")])
    }
}
