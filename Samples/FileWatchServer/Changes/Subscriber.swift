import RingDispatch
import RingNetwork
import Synchronization

/// A client that receives changes, over a plain stream or HTTP.
final class Subscriber: @unchecked Sendable {
    // Safety: `poke` may be called from anywhere; all else belongs to the connection's queue.

    /// How events are put between others.
    enum Format {
        /// A line of JSON each.
        case lines
        /// Server-sent events, with ids. https://html.spec.whatwg.org (9.2)
        case serverSentEvents
    }

    private let connection: Connection
    private let feed: ChangeFeed
    private let format: Format
    /// The last event that was dealt with.
    private var cursor: UInt64 = 0
    private var choice = Choice.everything
    /// The client sends nothing more: it gets what there is, and the end.
    private var endsWhenCaughtUp = false
    private var hasBegun = false
    /// Set by who asks for `pump`, cleared (acquiring) before it looks at the feed: what was
    /// published before the flag was found set is seen.
    private let isPoked = Atomic<Bool>(false)

    /// Events are looked at in such portions, and others have a turn in between.
    private static let eventsPerTurn = 512

    init(_ connection: Connection, _ feed: ChangeFeed, _ format: Format) {
        self.connection = connection
        self.feed = feed
        self.format = format
    }

    /// Begins with what comes from now on, once. On the queue of the active connection, as all
    /// that follows.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        cursor = feed.add(self)
        connection.setWritableHandler { [self] _ in pump() }
    }

    /// Takes a client's wishes over.
    func apply(_ command: ClientCommand) {
        begin()
        choice = command.choice(roots: feed.rootBytes)
        if let since = command.since {
            let isOurs = command.instance.map { $0 == Array(feed.instance.utf8) } ?? true
            // No event has this number: the client's are another server's.
            cursor = isOurs ? since : .max
        }
        pump()
    }

    func end() {
        hasBegun = true
        feed.remove(self)
    }

    /// Ends the connection when everything was sent.
    func finish() {
        begin()
        endsWhenCaughtUp = true
        pump()
    }

    /// There is something new. From any thread.
    func poke() {
        guard !isPoked.exchange(true, ordering: .acquiringAndReleasing) else { return }
        connection.queue.async { self.pump() }
    }

    /// Sends what there is and what fits. What does not fit stays in the feed until the connection
    /// is writable.
    private func pump() {
        _ = isPoked.exchange(false, ordering: .acquiringAndReleasing)
        guard connection.state == .active, connection.isWritable else { return }
        var text: [UInt8] = []
        var isComplete = true
        switch feed.events(after: cursor, atMost: Self.eventsPerTurn) {
        case .events(let following, let last):
            for event in following where choice.wants(event) { append(event, to: &text) }
            if let event = following.last { cursor = event.sequence }
            isComplete = cursor == last
        case .unknown:
            let (last, events) = feed.rescan()
            for event in events { append(event, to: &text) }
            cursor = last
        }
        if !text.isEmpty { connection.send(text) }
        if !isComplete {
            poke()
        } else if endsWhenCaughtUp {
            connection.close()
        }
    }

    private func append(_ event: Event, to text: inout [UInt8]) {
        if text.isEmpty { text.reserveCapacity(event.json.count + 32) }
        switch format {
        case .lines:
            text += event.json
            text.append(UInt8(ascii: "\n"))
        case .serverSentEvents:
            text += "id: \(event.sequence)\ndata: ".utf8
            text += event.json
            text += "\n\n".utf8
        }
    }
}
