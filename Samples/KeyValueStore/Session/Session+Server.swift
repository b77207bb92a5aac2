extension Session {
    /// PING [message].
    @inline(__always)
    static func ping(_ request: Request, _ reply: inout ReplyBuffer) {
        switch request.count {
        case 1: reply.append("+PONG\r\n")
        case 2: reply.appendBulk(request[1])
        default: reply.appendWrongCount("ping")
        }
    }

    /// SELECT 0: there is one database.
    static func select(_ request: Request, _ reply: inout ReplyBuffer) {
        switch Decimal.parse(request[1]) {
        case 0: reply.appendOK()
        case nil: reply.appendNotAnInteger()
        default: reply.append("-ERR DB index is out of range\r\n")
        }
    }

    /// HELLO [2 [AUTH user password] [SETNAME name]]: a greeting as a flat array. RESP3 is refused.
    mutating func hello(_ request: Request, _ reply: inout ReplyBuffer) {
        if request.count > 1 {
            guard let version = Decimal.parse(request[1]) else {
                return reply.append(
                    "-ERR Protocol version is not an integer or out of range\r\n")
            }
            guard version == 2 else {
                return reply.append("-NOPROTO unsupported protocol version\r\n")
            }
        }
        var newName: [UInt8]?
        var index = 2
        while index < request.count {
            if request.matches(index, "SETNAME"), index + 1 < request.count {
                newName = Array(request[index + 1])
                index += 2
            } else if request.matches(index, "AUTH"), index + 2 < request.count {
                // There are no passwords: the default user may enter with any.
                index += 3
            } else {
                let option = request.text(index)
                return reply.appendError("ERR Syntax error in HELLO option '\(option)'")
            }
        }
        if let newName, !setName(newName, &reply) { return }
        greet(&reply)
    }

    private func greet(_ reply: inout ReplyBuffer) {
        reply.appendArrayHeader(14)
        for (key, value) in [("server", "redis"), ("version", Self.compatibleVersion)] {
            reply.appendBulk(key)
            reply.appendBulk(value)
        }
        reply.appendBulk("proto")
        reply.appendInteger(2)
        reply.appendBulk("id")
        reply.appendInteger(number)
        for (key, value) in [("mode", "standalone"), ("role", "master")] {
            reply.appendBulk(key)
            reply.appendBulk(value)
        }
        reply.appendBulk("modules")
        reply.appendArrayHeader(0)
    }

    /// The version of the protocol's reference server whose replies these are. Clients decide by it
    /// what they may ask for.
    static var compatibleVersion: String { "7.0.0" }

    /// CLIENT SETINFO, SETNAME, GETNAME, ID.
    mutating func client(_ request: Request, _ reply: inout ReplyBuffer) {
        if request.matches(1, "SETINFO"), request.count == 4 {
            reply.appendOK()
        } else if request.matches(1, "SETNAME"), request.count == 3 {
            if setName(Array(request[2]), &reply) { reply.appendOK() }
        } else if request.matches(1, "GETNAME"), request.count == 2 {
            if name.isEmpty { return reply.appendNull() }
            name.withUnsafeBytes { reply.appendBulk($0) }
        } else if request.matches(1, "ID"), request.count == 2 {
            reply.appendInteger(number)
        } else {
            reply.appendUnknownSubcommand(request, "CLIENT")
        }
    }

    /// False: the name is refused, and the reply says why.
    private mutating func setName(_ newName: [UInt8], _ reply: inout ReplyBuffer) -> Bool {
        guard newName.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            reply.append(
                "-ERR Client names cannot contain spaces, newlines or special characters.\r\n")
            return false
        }
        name = newName
        return true
    }

    /// CONFIG GET parameter ...: what load generators ask for.
    func config(_ request: Request, _ reply: inout ReplyBuffer) {
        guard request.matches(1, "GET"), request.count > 2 else {
            return reply.appendUnknownSubcommand(request, "CONFIG")
        }
        let configuration = store.configuration
        let limit = configuration.maxMemoryBytes
        let parameters = [
            ("save", ""), ("appendonly", "no"), ("databases", "1"),
            ("maxmemory", limit == .max ? "0" : "\(limit)"), ("maxmemory-policy", "noeviction"),
            ("proto-max-bulk-len", "\(configuration.maxBulkBytes)"),
        ]
        let asked = (2..<request.count).map { request.text($0).lowercased() }
        let found = parameters.filter { asked.contains($0.0) || asked.contains("*") }
        reply.appendArrayHeader(2 * found.count)
        for (name, value) in found {
            reply.appendBulk(name)
            reply.appendBulk(value)
        }
    }
}

extension ReplyBuffer {
    mutating func appendUnknownSubcommand(_ request: Request, _ command: String) {
        appendError(
            "ERR unknown subcommand or wrong number of arguments for '\(request.text(1))'. "
                + "Try \(command) HELP.")
    }
}
