extension Session {
    /// COMMAND [COUNT | LIST | INFO [name ...] | DOCS [name ...]].
    static func command(_ request: Request, _ reply: inout ReplyBuffer) {
        let all = CommandName.allCases
        if request.count == 1 { return replyInfo(all, &reply) }
        let named = (2..<max(2, request.count)).map { CommandName(request[$0]) }
        if request.matches(1, "COUNT"), request.count == 2 {
            reply.appendInteger(all.count)
        } else if request.matches(1, "LIST"), request.count == 2 {
            reply.appendArrayHeader(all.count)
            for command in all { reply.appendBulk(command.text) }
        } else if request.matches(1, "INFO") {
            replyInfo(named.isEmpty ? all : named, &reply)
        } else if request.matches(1, "DOCS") {
            replyDocumentation(named.isEmpty ? all : named.compactMap { $0 }, &reply)
        } else {
            reply.appendUnknownSubcommand(request, "COMMAND")
        }
    }

    private static func replyInfo(_ commands: [CommandName?], _ reply: inout ReplyBuffer) {
        reply.appendArrayHeader(commands.count)
        for command in commands {
            guard let command else {
                reply.append("*-1\r\n")
                continue
            }
            let keys = command.keys
            reply.appendArrayHeader(6)
            reply.appendBulk(command.text)
            reply.appendInteger(Int(command.arity))
            let flags = command.flags
            reply.appendArrayHeader(flags.count)
            for flag in flags { reply.appendStatus(flag) }
            reply.appendInteger(keys.first)
            reply.appendInteger(keys.last)
            reply.appendInteger(keys.step)
        }
    }

    /// Names with a map each, which RESP2 writes as a flat array. The command-line client makes its
    /// help of it.
    private static func replyDocumentation(
        _ commands: [CommandName], _ reply: inout ReplyBuffer
    ) {
        reply.appendArrayHeader(2 * commands.count)
        for command in commands {
            reply.appendBulk(command.text)
            reply.appendArrayHeader(6)
            for text in [
                "summary", command.summary, "since", "1.0.0", "group", command.group,
            ] { reply.appendBulk(text) }
        }
    }
}

extension CommandName {
    /// The places of the first and the last key, counted from the end if negative, and the step.
    var keys: (first: Int, last: Int, step: Int) {
        switch self {
        case .del, .exists, .mget: (1, -1, 1)
        case .mset: (1, -1, 2)
        default: group == "string" || group == "generic" ? (1, 1, 1) : (0, 0, 0)
        }
    }

    var flags: [String] {
        switch self {
        case .get, .strlen, .ttl, .pttl, .exists, .type, .mget: ["readonly", "fast"]
        case .set, .mset, .incr, .decr, .incrby, .decrby, .append: ["write", "denyoom"]
        case .del, .expire, .pexpire, .persist, .flushdb, .flushall: ["write"]
        default: ["fast"]
        }
    }

    var group: String {
        switch self {
        case .get, .set, .incr, .decr, .incrby, .decrby, .append, .strlen, .mget, .mset: "string"
        case .del, .exists, .expire, .pexpire, .ttl, .pttl, .persist, .type: "generic"
        case .ping, .echo, .select, .hello, .quit, .client: "connection"
        case .config, .command, .info, .dbsize, .flushdb, .flushall: "server"
        }
    }

    var summary: String {
        switch self {
        case .get: "Returns the value of a key."
        case .set: "Sets the value of a key: NX, XX, GET, EX, PX, KEEPTTL."
        case .del: "Removes keys."
        case .exists: "Counts those of the keys that are there."
        case .incr: "Adds one to the integer of a key."
        case .decr: "Subtracts one from the integer of a key."
        case .incrby: "Adds to the integer of a key."
        case .decrby: "Subtracts from the integer of a key."
        case .append: "Appends to the value of a key."
        case .strlen: "Returns the length of a value."
        case .mget: "Returns the values of keys, all of one moment."
        case .mset: "Sets keys, all at one moment."
        case .expire: "Lets a key live for so many seconds."
        case .pexpire: "Lets a key live for so many milliseconds."
        case .ttl: "Returns the seconds that a key has left."
        case .pttl: "Returns the milliseconds that a key has left."
        case .persist: "Lets a key live for ever."
        case .type: "Returns what kind of value a key has."
        case .ping: "Answers, with the message if there is one."
        case .echo: "Returns the message."
        case .select: "Selects a database: there is number 0."
        case .hello: "Returns a greeting, in RESP2."
        case .quit: "Ends the connection."
        case .client: "SETINFO, SETNAME, GETNAME, ID."
        case .config: "GET: returns settings."
        case .command: "Describes commands: COUNT, LIST, INFO, DOCS."
        case .info: "Returns what the server has done, and holds."
        case .dbsize: "Counts all keys."
        case .flushdb, .flushall: "Removes all keys."
        }
    }
}
