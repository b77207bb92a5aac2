/// Splits the bytes that a client receives into lines.
final class LineReader {
    let client: Client
    private var bytes: [UInt8] = []
    /// The number of bytes already returned.
    private var taken = 0

    init(_ client: Client) { self.client = client }

    func send(_ line: String) throws { try client.send(Array((line + "\n").utf8)) }

    /// Nil at the end of the stream.
    func line(until deadline: Deadline = Deadline()) throws -> String? {
        while true {
            if let end = bytes[taken...].firstIndex(of: 0x0a) {
                let line = String(decoding: bytes[taken..<end], as: UTF8.self)
                taken = end + 1
                return line
            }
            bytes.removeFirst(taken)
            taken = 0
            switch try client.receiveSome(until: deadline) {
            case .bytes(let part): bytes += part
            case .end, .reset: return nil
            case .nothing: throw Trouble("no line in time; so far '\(bytes)'")
            }
        }
    }

    func event() throws -> ReceivedEvent {
        guard let line = try line() else { throw Trouble("the stream ended before an event") }
        return try ReceivedEvent(line)
    }

    /// Skips events until one for this path, and returns it.
    func event(of path: String) throws -> ReceivedEvent { try events(to: path).last! }

    /// All events up to the one for this path.
    func events(to path: String) throws -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        repeat { events.append(try event()) } while events.last?.path != path
        return events
    }
}

extension LineReader {
    /// Ensures that the server has registered this client.
    func greeted() throws -> LineReader {
        try send("hello?")
        guard try event().error != nil else { throw Trouble("garbage was not refused") }
        return self
    }
}
