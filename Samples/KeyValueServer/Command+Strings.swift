extension Command {
    static let strings: [String: Command] = [
        "get": Command(arity: 2) { .bytes($0.database.find($1[1])?.value) },
        "set": Command(arity: -3, grows: true) { set($0, $1) },
        "setnx": Command(arity: 3, grows: true) { session, request in
            let isNew = session.database.find(request[1]) == nil
            if isNew { session.database.set(request[1], request[2]) }
            return .flag(isNew)
        },
        "getdel": Command(arity: 2) { session, request in
            defer { _ = session.database.remove(request[1]) }
            return .bytes(session.database.find(request[1])?.value)
        },
        "mget": Command(arity: -2) { session, request in
            let values = request.dropFirst().map { session.database.find($0)?.value }
            let byteCount = values.reduce(0) { $0 + ($1?.count ?? 0) }
            guard byteCount <= Limits.replyBytes else { return .error("ERR reply too large") }
            return .array(values.map { .bytes($0) })
        },
        "mset": Command(arity: -3, grows: true) { session, request in
            guard request.count % 2 == 1 else { return .wrongCount("mset") }
            for index in stride(from: 1, to: request.count, by: 2) {
                session.database.set(request[index], request[index + 1])
            }
            return .status("OK")
        },
        "append": Command(arity: 3, grows: true) { session, request in
            let count = (session.database.find(request[1])?.value.count ?? 0) + request[2].count
            guard count <= Limits.wordBytes else {
                return .error("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
            }
            session.database.append(request[2], to: request[1])
            return .integer(count)
        },
        "strlen": Command(arity: 2) { .integer($0.database.find($1[1])?.value.count ?? 0) },
        "incr": Command(arity: 2, grows: true) { add(1, $0, $1) },
        "decr": Command(arity: 2, grows: true) { add(-1, $0, $1) },
        "incrby": Command(arity: 3, grows: true) { add($1[2].integer, $0, $1) },
        "decrby": Command(arity: 3, grows: true) { session, request in
            let amount = request[2].integer
            guard amount != .min else { return .error("ERR decrement would overflow") }
            return add(amount.map { -$0 }, session, request)
        },
    ]

    private static func add(_ amount: Int?, _ session: Session, _ request: Request) -> Reply {
        let entry = session.database.find(request[1])
        let old = entry == nil ? 0 : entry?.value.integer
        guard let amount, let old else { return .notAnInteger }
        let (sum, isOver) = old.addingReportingOverflow(amount)
        if isOver { return .error("ERR increment or decrement would overflow") }
        let value = Bytes(array: Array(String(sum).utf8))
        session.database.set(request[1], value, deadline: entry?.deadline ?? Database.never)
        return .integer(sum)
    }

    /// SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]
    private static func set(_ session: Session, _ request: Request) -> Reply {
        var (mustExist, returnsOld, keepsDeadline) = (Bool?.none, false, false)
        var (timeIndex, unit) = (0, 0)
        for index in 3..<request.count where index != timeIndex {
            let mayHaveTime = !keepsDeadline && index + 1 < request.count
            switch request[index].name {
            case "nx" where mustExist != true: mustExist = false
            case "xx" where mustExist != false: mustExist = true
            case "get": returnsOld = true
            case "keepttl" where unit == 0: keepsDeadline = true
            case "ex" where mayHaveTime && unit != 1: (timeIndex, unit) = (index + 1, 1000)
            case "px" where mayHaveTime && unit != 1000: (timeIndex, unit) = (index + 1, 1)
            default: return .error("ERR syntax error")
            }
        }
        var deadline = Database.never
        if unit > 0 {
            guard let time = request[timeIndex].integer else { return .notAnInteger }
            guard time > 0, let sum = session.database.deadline(after: time, unit) else {
                return .error("ERR invalid expire time in 'set' command")
            }
            deadline = sum
        }
        let old = request.count > 3 ? session.database.find(request[1]) : nil
        if let mustExist, mustExist != (old != nil) { return .bytes(returnsOld ? old?.value : nil) }
        if keepsDeadline, let old { deadline = old.deadline }
        session.database.set(request[1], request[2], deadline: deadline)
        return returnsOld ? .bytes(old?.value) : .status("OK")
    }
}
