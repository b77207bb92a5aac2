import Glibc

extension Session {
    /// INFO [section ...].
    func info(_ request: Request, _ reply: inout ReplyBuffer) {
        let asked = (1..<max(1, request.count)).map { request.text($0).lowercased() }
        let wantsAll =
            asked.isEmpty || asked.contains { ["all", "default", "everything"].contains($0) }
        let figures = store.statistics
        var text = ""
        for (title, lines) in sections(figures)
        where wantsAll || asked.contains(title.lowercased()) {
            if !text.isEmpty { text += "\r\n" }
            text += "# \(title)\r\n"
            for (name, value) in lines { text += "\(name):\(value)\r\n" }
        }
        reply.appendBulk(text)
    }

    private func sections(
        _ figures: StoreStatistics
    ) -> [(title: String, lines: [(name: String, value: String)])] {
        let configuration = store.configuration
        let limit = configuration.maxMemoryBytes == .max ? 0 : configuration.maxMemoryBytes
        var keyspace: [(String, String)] = []
        if figures.keys > 0 {
            keyspace.append(
                ("db0", "keys=\(figures.keys),expires=\(figures.keysWithDeadline),avg_ttl=0"))
        }
        return [
            (
                "Server",
                [
                    ("redis_version", Self.compatibleVersion), ("redis_mode", "standalone"),
                    ("server_name", "KeyValueServer"), ("process_id", "\(getpid())"),
                    ("uptime_in_seconds", "\(figures.uptimeSeconds)"),
                    ("uptime_in_days", "\(figures.uptimeSeconds / 86400)"),
                    ("shards", "\(configuration.shardCount)"),
                ]
            ),
            ("Clients", [("connected_clients", "\(figures.openSessions)")]),
            (
                "Memory",
                [
                    ("used_memory", "\(figures.usedMemoryBytes)"), ("maxmemory", "\(limit)"),
                    ("maxmemory_policy", "noeviction"),
                ]
            ),
            (
                "Stats",
                [
                    ("total_connections_received", "\(figures.sessions)"),
                    ("total_commands_processed", "\(figures.commands)"),
                    ("expired_keys", "\(figures.expiredKeys)"), ("evicted_keys", "0"),
                    ("keyspace_hits", "\(figures.hits)"),
                    ("keyspace_misses", "\(figures.misses)"),
                ]
            ),
            ("Replication", [("role", "master"), ("connected_slaves", "0")]),
            ("Keyspace", keyspace),
        ]
    }
}
