extension Command {
    static let keys: [String: Command] = [
        "del": Command(arity: -2) { session, request in
            .integer(request.dropFirst().count { session.database.remove($0) })
        },
        "exists": Command(arity: -2) { session, request in
            .integer(request.dropFirst().count { session.database.find($0) != nil })
        },
        "type": Command(arity: 2) { .status($0.database.find($1[1]) == nil ? "none" : "string") },
        "expire": Command(arity: -3) { expire($0, $1, unit: 1000) },
        "pexpire": Command(arity: -3) { expire($0, $1, unit: 1) },
        "ttl": Command(arity: 2) { timeToLive($0, $1, unit: 1000) },
        "pttl": Command(arity: 2) { timeToLive($0, $1, unit: 1) },
        "persist": Command(arity: 2) { session, request in
            let entry = session.database.find(request[1])
            let hasDeadline = entry.map { $0.deadline != Database.never } ?? false
            if hasDeadline, let entry { session.database.set(request[1], entry.value) }
            return .flag(hasDeadline)
        },
        "dbsize": Command(arity: 1) { session, _ in .integer(session.database.count) },
        "flushall": Command(arity: -1) { session, request in
            guard [[], ["async"], ["sync"]].contains(request.dropFirst().map(\.name)) else {
                return .error("ERR syntax error")
            }
            session.database.removeAll()
            return .status("OK")
        },
    ]

    private static func expire(_ session: Session, _ request: Request, unit: Int) -> Reply {
        guard request.count == 3 else { return .error("ERR Unsupported option \(request[3].text)") }
        guard let time = request[2].integer else { return .notAnInteger }
        guard let deadline = session.database.deadline(after: time, unit) else {
            return .error("ERR invalid expire time in '\(request[0].name)' command")
        }
        guard time > 0 else { return .flag(session.database.remove(request[1])) }
        guard let entry = session.database.find(request[1]) else { return .flag(false) }
        session.database.set(request[1], entry.value, deadline: deadline)
        return .flag(true)
    }

    private static func timeToLive(_ session: Session, _ request: Request, unit: Int) -> Reply {
        switch session.database.find(request[1])?.deadline {
        case nil: .integer(-2)
        case Database.never: .integer(-1)
        // It may have passed since.
        case let deadline?:
            .integer((max(0, deadline - session.database.clock()) + unit / 2) / unit)
        }
    }
}
