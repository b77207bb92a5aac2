/// The connections of a listener that are open. Each knows its place, so that coming and going
/// takes no search.
struct OpenConnections {
    private var entries: [OpenConnection?] = []
    private var free: [Int] = []

    var count: Int { entries.count - free.count }
    var isEmpty: Bool { count == 0 }
    var all: [OpenConnection] { entries.compactMap { $0 } }

    mutating func insert(_ entry: OpenConnection) {
        if let place = free.popLast() {
            entry.connection.place = place
            entries[place] = entry
        } else {
            entry.connection.place = entries.count
            entries.append(entry)
        }
    }

    /// Nil when it is not here, or no more.
    mutating func remove(_ connection: Connection) -> OpenConnection? {
        guard contains(connection) else { return nil }
        free.append(connection.place)
        return entries[connection.place].take()
    }

    func contains(_ connection: Connection) -> Bool {
        entries.indices.contains(connection.place)
            && entries[connection.place]?.connection === connection
    }

    mutating func setDrain(_ handler: ((Connection) -> Void)?, of connection: Connection) {
        guard contains(connection) else { return }
        entries[connection.place]?.drain = handler
    }
}

/// A connection that a listener has accepted.
struct OpenConnection {
    let connection: Connection
    private var details: Details?

    /// What the listener keeps for a few of them.
    private final class Details {
        var peer: PeerKey?
        var drain: ((Connection) -> Void)?
    }

    init(connection: Connection, peer: PeerKey?) {
        self.connection = connection
        guard let peer else { return }
        let details = Details()
        details.peer = peer
        self.details = details
    }

    /// Whom it was counted for.
    var peer: PeerKey? { details?.peer }

    var drain: ((Connection) -> Void)? {
        get { details?.drain }
        set {
            if details == nil { details = Details() }
            details?.drain = newValue
        }
    }
}
