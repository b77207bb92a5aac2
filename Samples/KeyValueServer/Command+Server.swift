import Glibc

extension Command {
    /// The Redis version whose replies these are. Clients decide by it what they may ask for.
    private static let redisVersion = "7.0.0"

    static let server: [String: Command] = [
        "ping": Command(arity: -1) { _, request in
            guard request.count <= 2 else { return .wrongCount("ping") }
            return request.count == 2 ? .bytes(request[1]) : .status("PONG")
        },
        "echo": Command(arity: 2) { .bytes($1[1]) },
        "command": Command(arity: -1) { _, request in
            switch request.dropFirst().first?.name {
            case nil: .array(all.map { Reply.array([.text($0), .integer($1.arity)]) })
            case "count": .integer(all.count)
            case "docs": .map([])
            default: .unknownSubcommand(request)
            }
        },
        "config": Command(arity: -3) { _, request in
            guard request[1].name == "get" else { return .unknownSubcommand(request) }
            // redis-benchmark asks for these two.
            let settings: [(String, Reply)] = [("save", .text("")), ("appendonly", .text("no"))]
            return .map(settings.filter { request.dropFirst(2).map(\.name).contains($0.0) })
        },
        "quit": Command(arity: -1) { session, _ in
            session.isClosing = true
            return .status("OK")
        },
        "hello": Command(arity: -1) { session, request in
            guard let version = request.count > 1 ? request[1].integer : session.version else {
                return .error("ERR Protocol version is not an integer or out of range")
            }
            guard version == 2 || version == 3 else {
                return .error("NOPROTO unsupported protocol version")
            }
            guard request.count <= 2 else {
                return .error("ERR Syntax error in HELLO option '\(request[2].text)'")
            }
            session.version = version
            return .map([
                ("server", .text("redis")), ("version", .text(redisVersion)),
                ("proto", .integer(version)), ("id", .integer(session.number)),
                ("mode", .text("standalone")), ("role", .text("master")), ("modules", .array([])),
            ])
        },
        "client": Command(arity: -2) { session, request in
            switch (request[1].name, request.count) {
            case ("id", 2): .integer(session.number)
            case ("setname", 3), ("setinfo", 4): .status("OK")
            case ("id", _), ("setname", _), ("setinfo", _): .wrongCount("client|\(request[1].name)")
            default: .unknownSubcommand(request)
            }
        },
        "info": Command(arity: -1) { session, _ in info(session.database) },
    ]

    private static func info(_ database: Database) -> Reply {
        let lines = [
            "# Server", "redis_version:\(redisVersion)", "process_id:\(getpid())",
            "connected_clients:\(database.openSessions)", "used_memory:\(database.usedMemory)",
            "maxmemory:\(database.maxMemory)", "expired_keys:\(database.expiredKeys)",
            "total_connections_received:\(database.sessions)",
            "total_commands_processed:\(database.commands)", "# Keyspace",
            "db0:keys=\(database.count),expires=\(database.keysWithDeadline),avg_ttl=0",
        ]
        return .text(lines.map { $0 + "\r\n" }.joined())
    }
}
