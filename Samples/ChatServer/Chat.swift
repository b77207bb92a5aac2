import RingNetwork

/// Who is in which room. Posting never waits, so a slow client delays nobody.
actor Chat {
    struct Member: Sendable {
        let name: String
        let outbox: Outbox
        let connection: Connection
    }

    private var rooms: [String: [String: Member]] = [:]
    private var names: Set<String> = []

    /// Room names and people of one process; each costs some memory.
    static let longestName = 20

    /// Takes a name; false if somebody else has it.
    func register(_ name: String) -> Bool { names.insert(name).inserted }

    func unregister(_ name: String) { names.remove(name) }

    func join(_ room: String, _ member: Member) {
        rooms[room, default: [:]][member.name] = member
        post("* \(member.name) has joined \(room)", in: room)
    }

    func leave(_ room: String, _ member: Member) {
        rooms[room]?[member.name] = nil
        if rooms[room]?.isEmpty == true { rooms[room] = nil }
        post("* \(member.name) has left \(room)", in: room)
    }

    func post(_ line: String, in room: String) {
        for member in rooms[room, default: [:]].values where !member.outbox.post(line) {
            member.connection.abort()
        }
    }

    func members(of room: String) -> [String] { rooms[room, default: [:]].keys.sorted() }

    /// Each room with the number of its members.
    func list() -> [String] {
        rooms.map { "\($0.key) \($0.value.count)" }.sorted()
    }
}
