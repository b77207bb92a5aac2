internal import RingDispatch

extension Store {
    /// EXPIRE key seconds, PEXPIRE key milliseconds [NX | XX | GT | LT].
    func expire(
        _ request: Request, unitMilliseconds: Int64, _ command: String,
        _ reply: inout ReplyBuffer
    ) {
        guard let number = Decimal.parse(request[2]) else { return reply.appendNotAnInteger() }
        let options: ExpireOptions
        do { options = try ExpireOptions(request) } catch {
            return reply.appendError(error.message)
        }
        let (life, isOver) = number.multipliedReportingOverflow(by: unitMilliseconds)
        let (deadline, isOver2) = life.addingReportingOverflow(configuration.clock())
        if isOver || isOver2 { return reply.appendInvalidExpireTime(command) }
        let key = request[1]
        let hash = keyHash.hash(key)
        let isSet = onShard(of: hash) { shard in
            guard let slot = shard.find(hash, key), let entry = slot.pointee.entry else {
                return false
            }
            let old = entry.hasDeadline ? shard.deadlines.deadline(of: entry) : nil
            guard options.allows(deadline, insteadOf: old) else { return false }
            if life > 0 {
                shard.setDeadline(deadline, for: entry, hash: hash)
            } else {
                shard.remove(slot)
            }
            return true
        }
        reply.appendFlag(isSet)
    }

    /// TTL key, PTTL key.
    func timeToLive(
        _ request: Request, unitMilliseconds: Int64, _ reply: inout ReplyBuffer
    ) {
        let key = request[1]
        let hash = keyHash.hash(key)
        let answer = onShard(of: hash) { shard -> Int64 in
            guard let entry = shard.find(hash, key)?.pointee.entry else { return -2 }
            guard let rest = shard.remainingMilliseconds(entry) else { return -1 }
            let (whole, part) = rest.quotientAndRemainder(dividingBy: unitMilliseconds)
            return 2 * part >= unitMilliseconds ? whole + 1 : whole
        }
        reply.appendInteger(Int(answer))
    }

    /// PERSIST key.
    func persist(_ request: Request, _ reply: inout ReplyBuffer) {
        let key = request[1]
        let hash = keyHash.hash(key)
        let isCleared = onShard(of: hash) { shard in
            guard let entry = shard.find(hash, key)?.pointee.entry else { return false }
            return shard.clearDeadline(entry)
        }
        reply.appendFlag(isCleared)
    }

    /// TYPE key.
    func type(_ request: Request, _ reply: inout ReplyBuffer) {
        let key = request[1]
        let hash = keyHash.hash(key)
        let isPresent = onShard(of: hash) { $0.find(hash, key) != nil }
        reply.append(isPresent ? "+string\r\n" : "+none\r\n")
    }
}

/// What follows the time in an EXPIRE.
struct ExpireOptions {
    struct Failure: Error {
        var message: String
    }

    /// NX: only a key that has no deadline.
    private var isAbsent = false
    /// XX: only one that has.
    private var isPresent = false
    /// GT: only if the key lives longer then.
    private var isLater = false
    /// LT: only if it lives shorter.
    private var isEarlier = false

    init(_ request: Request) throws(Failure) {
        for index in stride(from: 3, to: request.count, by: 1) {
            if request.matches(index, "NX") {
                isAbsent = true
            } else if request.matches(index, "XX") {
                isPresent = true
            } else if request.matches(index, "GT") {
                isLater = true
            } else if request.matches(index, "LT") {
                isEarlier = true
            } else {
                throw Failure(message: "ERR Unsupported option \(request.text(index))")
            }
        }
        if isAbsent && (isPresent || isLater || isEarlier) {
            throw Failure(
                message: "ERR NX and XX, GT or LT options at the same time are not compatible")
        }
        if isLater && isEarlier {
            throw Failure(
                message: "ERR GT and LT options at the same time are not compatible")
        }
    }

    /// - Parameter old: nil: the key lives for ever.
    func allows(_ deadline: Int64, insteadOf old: Int64?) -> Bool {
        if isAbsent, old != nil { return false }
        if isPresent, old == nil { return false }
        if isLater, deadline <= old ?? .max { return false }
        if isEarlier, deadline >= old ?? .max { return false }
        return true
    }
}
