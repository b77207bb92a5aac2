import RingDispatch
import RingNetwork
import Synchronization

/// A client that receives changes, as JSON lines or over HTTP.
final class Subscriber: @unchecked Sendable {
    // Safety: any thread may call `poke`; everything else runs on the connection's queue.

    enum Format {
        case lines
        /// Server-sent events, with the position after each as its id.
        /// https://html.spec.whatwg.org (9.2)
        case serverSentEvents
    }

    private let connection: Connection
    private let feed: ChangeFeed
    private let format: Format
    /// The sequence number of the last event processed.
    private var cursor: UInt64 = 0
    private var choice = Choice.everything
    /// The client has shut down its sending side: close once all events are sent.
    private var endsWhenCaughtUp = false
    private var hasBegun = false
    /// True while a call of `pump` is queued. A publisher appends to the feed, then sets it; `pump`
    /// clears it, then reads the feed. Both exchanges acquire and release, so that a `pump` queued
    /// earlier still sees the events.
    private let isPoked = Atomic<Bool>(false)

    /// Limits for one call of `pump`, so that other clients get their turn.
    private static let eventsPerTurn = 512
    private static let comparedBytesPerTurn = 16 * 1024
    /// The most work for a client after the end of its stream. It may have left: a server notices
    /// that only when it sends something.
    private static let comparedBytesAfterEnd = 4 * 1024 * 1024

    init(_ connection: Connection, _ feed: ChangeFeed, _ format: Format) {
        self.connection = connection
        self.feed = feed
        self.format = format
    }

    /// Subscribes, once, to events from now on. The connection must be active. Call this and the
    /// methods below on its queue.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        cursor = feed.add(self)
        connection.setWritableHandler { [self] _ in pump() }
    }

    /// Applies a client's command, and subscribes if necessary.
    func apply(_ command: ClientCommand) {
        begin()
        choice = command.choice(roots: feed.rootBytes)
        if let since = command.since {
            let isOurs = command.instance.map { $0 == Array(feed.instance.utf8) } ?? true
            // No event has number `.max`, so a position that is not ours leads to a rescan.
            cursor = isOurs && since <= feed.last ? since : .max
        }
        poke()
    }

    /// The client's position, as the line of a server-sent event.
    var idLine: String { "id: \(feed.instance)-\(cursor)\n" }

    func end() {
        hasBegun = true
        feed.remove(self)
    }

    func finish() {
        begin()
        endsWhenCaughtUp = true
        let last = feed.last
        // Otherwise it gets a rescan event, which costs nothing.
        if cursor < last, last - cursor > Self.comparedBytesAfterEnd / choice.bytesPerEvent {
            cursor = .max
        }
        poke()
    }

    /// Queues a call of `pump`. Safe to call from any thread.
    func poke() {
        guard !isPoked.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.queue.async { self.pump() }
    }

    /// Sends the pending events that fit. The writable handler sends the others.
    private func pump() {
        _ = isPoked.exchange(false, ordering: .acquiringAndReleasing)
        guard connection.state == .active, connection.isWritable else { return }
        var text: [UInt8] = []
        var isComplete = true
        let most = min(Self.eventsPerTurn, Self.comparedBytesPerTurn / choice.bytesPerEvent)
        switch feed.events(after: cursor, atMost: max(1, most)) {
        case .events(let following, let last):
            for event in following {
                cursor = event.sequence
                if choice.wants(event) { append(event, to: &text) }
            }
            isComplete = cursor == last
        case .unknown:
            let (last, events) = feed.rescan()
            // A client that gets only some of them comes back with its old position.
            for event in events.dropLast() { append(event, to: &text) }
            cursor = last
            if let event = events.last { append(event, to: &text) }
        }
        if !text.isEmpty { connection.send(text) }
        if !isComplete {
            poke()
        } else if endsWhenCaughtUp {
            connection.close()
        }
    }

    private func append(_ event: Event, to text: inout [UInt8]) {
        if text.isEmpty { text.reserveCapacity(event.json.count + 64) }
        switch format {
        case .lines:
            text += event.json
            text.append(UInt8(ascii: "\n"))
        case .serverSentEvents:
            text += idLine.utf8
            text += "data: ".utf8
            text += event.json
            text += "\n\n".utf8
        }
    }
}
