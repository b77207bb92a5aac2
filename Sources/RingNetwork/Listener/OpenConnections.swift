/// The open connections of a listener. Each knows its index, so insertion and removal take constant
/// time.
struct OpenConnections {
    private var entries: [Connection?] = []
    private var free: [Int] = []

    var count: Int { entries.count - free.count }
    var isEmpty: Bool { count == 0 }
    var all: [Connection] { entries.compactMap { $0 } }

    mutating func insert(_ connection: Connection) {
        if let place = free.popLast() {
            connection.place = place
            entries[place] = connection
        } else {
            connection.place = entries.count
            entries.append(connection)
        }
    }

    /// Returns false if the connection is not present.
    mutating func remove(_ connection: Connection) -> Bool {
        guard contains(connection) else { return false }
        free.append(connection.place)
        entries[connection.place] = nil
        return true
    }

    func contains(_ connection: Connection) -> Bool {
        entries.indices.contains(connection.place) && entries[connection.place] === connection
    }
}
