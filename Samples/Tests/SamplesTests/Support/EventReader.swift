/// Reads server-sent events.
final class EventReader {
    private let reader: LineReader
    let head: [String]

    init(_ client: Client) throws {
        reader = LineReader(client)
        var head: [String] = []
        while let line = try reader.line(), line != "\r" { head.append(String(line.dropLast())) }
        self.head = head
    }

    /// The next event with its ID; skips comments and settings.
    func next() throws -> (id: String, event: ReceivedEvent) {
        var id = ""
        while let line = try reader.line() {
            if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") {
                return (id, try ReceivedEvent(String(line.dropFirst(6))))
            }
        }
        throw Trouble("the stream ended before an event")
    }

    /// The next ID, of an event or of the stream's start.
    func nextID() throws -> String {
        while let line = try reader.line() {
            if line.hasPrefix("id: ") { return String(line.dropFirst(4)) }
            if line.hasPrefix("data: ") { break }
        }
        throw Trouble("an event, or the stream's end, before an ID")
    }

    func close() { reader.client.close() }
}
