extension Session {
    /// Executes one command and appends its reply.
    @inline(__always)
    mutating func execute(_ request: Request, _ reply: inout ReplyBuffer) {
        guard let command = commands.find(request[0]) else {
            return refuse(request, &reply)
        }
        let count = request.count
        guard command.arity >= 0 ? count == command.arity : count >= -command.arity else {
            return Self.replyArity(command.name, &reply)
        }
        switch command.name {
        case .get: store.get(request, &reply)
        case .set: store.set(request, &reply)
        case .incr: store.increment(request, by: 1, &reply)
        case .decr: store.increment(request, by: -1, &reply)
        case .mget: store.getMany(request, &reply)
        case .ping: Self.ping(request, &reply)
        default: executeOther(command.name, request, &reply)
        }
    }

    @inline(never)
    private mutating func executeOther(
        _ command: CommandName, _ request: Request, _ reply: inout ReplyBuffer
    ) {
        switch command {
        case .incrby: store.increment(request, isNegative: false, &reply)
        case .decrby: store.increment(request, isNegative: true, &reply)
        case .append: store.append(request, &reply)
        case .strlen: store.length(request, &reply)
        case .type: store.type(request, &reply)
        case .mset: store.setMany(request, &reply)
        case .del: store.delete(request, &reply)
        case .exists: store.exists(request, &reply)
        case .expire: store.expire(request, unitMilliseconds: 1000, "expire", &reply)
        case .pexpire: store.expire(request, unitMilliseconds: 1, "pexpire", &reply)
        case .ttl: store.timeToLive(request, unitMilliseconds: 1000, &reply)
        case .pttl: store.timeToLive(request, unitMilliseconds: 1, &reply)
        case .persist: store.persist(request, &reply)
        case .dbsize: reply.appendInteger(store.keyCount)
        case .flushdb, .flushall: store.flush(request, &reply)
        case .echo: reply.appendBulk(request[1])
        case .select: Self.select(request, &reply)
        case .hello: hello(request, &reply)
        case .quit:
            reply.appendOK()
            isClosing = true
        case .client: client(request, &reply)
        case .config: config(request, &reply)
        case .command: Self.command(request, &reply)
        case .info: info(request, &reply)
        case .get, .set, .incr, .decr, .mget, .ping: preconditionFailure("executed before")
        }
    }

    @inline(never)
    private mutating func refuse(_ request: Request, _ reply: inout ReplyBuffer) {
        if request.matches(0, "POST") || request.matches(0, "HOST:") {
            // A web page made a browser send this: what follows might look like commands.
            isClosing = true
            return
        }
        let longest = 128
        var message = "ERR unknown command '\(request.text(0, limit: longest))', "
        message += "with args beginning with: "
        var shown = 0
        for index in 1..<max(1, request.count) where shown < longest {
            let argument = request.text(index, limit: longest - shown)
            message += "'\(argument)' "
            shown += argument.utf8.count + 3
        }
        reply.appendError(message)
    }

    @inline(never)
    private static func replyArity(_ command: CommandName, _ reply: inout ReplyBuffer) {
        reply.appendWrongCount(command.text)
    }
}

extension ReplyBuffer {
    mutating func appendWrongCount(_ command: String) {
        appendError("ERR wrong number of arguments for '\(command)' command")
    }

    mutating func appendSyntaxError() {
        append("-ERR syntax error\r\n")
    }

    mutating func appendNotAnInteger() {
        append("-ERR value is not an integer or out of range\r\n")
    }

    mutating func appendOutOfMemory() {
        append("-OOM command not allowed when used memory > 'maxmemory'.\r\n")
    }

    mutating func appendTooLong() {
        append("-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n")
    }

    mutating func appendInvalidExpireTime(_ command: String) {
        appendError("ERR invalid expire time in '\(command)' command")
    }

    /// 1 or 0.
    mutating func appendFlag(_ flag: Bool) {
        append(flag ? ":1\r\n" : ":0\r\n")
    }
}
