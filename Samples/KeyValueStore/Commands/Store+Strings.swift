internal import RingDispatch

extension Store {
    /// GET key. The value goes from the shard's memory straight into the reply.
    @inline(__always)
    func get(_ request: Request, _ reply: inout ReplyBuffer) {
        let key = request[1]
        let hash = keyHash.hash(key)
        onShard(of: hash) { shard in
            if let value = shard.value(hash, key) {
                reply.appendBulk(value)
            } else {
                reply.appendNull()
            }
        }
    }

    /// SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL].
    @inline(__always)
    func set(_ request: Request, _ reply: inout ReplyBuffer) {
        guard request.count == 3 else { return setWithOptions(request, &reply) }
        let (key, value) = (request[1], request[2])
        let hash = keyHash.hash(key)
        let isWritten = onShard(of: hash) { shard in
            shard.set(hash, key, value) { shard, entry in _ = shard.clearDeadline(entry) }
        }
        if isWritten { reply.appendOK() } else { reply.appendOutOfMemory() }
    }

    @inline(never)
    private func setWithOptions(_ request: Request, _ reply: inout ReplyBuffer) {
        let options: SetOptions
        do { options = try SetOptions(request) } catch {
            return switch error {
            case .syntax: reply.appendSyntaxError()
            case .notAnInteger: reply.appendNotAnInteger()
            case .invalidExpireTime: reply.appendInvalidExpireTime("set")
            }
        }
        var deadline: Int64?
        if let life = options.lifeMilliseconds {
            let (sum, isOver) = life.addingReportingOverflow(configuration.clock())
            if isOver { return reply.appendInvalidExpireTime("set") }
            deadline = sum
        }
        let hash = keyHash.hash(request[1])
        onShard(of: hash) { shard in
            shard.set(hash, request, options, deadline: deadline, &reply)
        }
    }

    /// INCR key, DECR key.
    @inline(__always)
    func increment(_ request: Request, by amount: Int64, _ reply: inout ReplyBuffer) {
        let key = request[1]
        let hash = keyHash.hash(key)
        onShard(of: hash) { shard in shard.increment(hash, key, by: amount, &reply) }
    }

    /// INCRBY key amount, DECRBY key amount.
    func increment(_ request: Request, isNegative: Bool, _ reply: inout ReplyBuffer) {
        guard let amount = Decimal.parse(request[2]) else { return reply.appendNotAnInteger() }
        guard isNegative else { return increment(request, by: amount, &reply) }
        guard amount != .min else { return reply.append("-ERR decrement would overflow\r\n") }
        increment(request, by: -amount, &reply)
    }

    /// APPEND key value.
    func append(_ request: Request, _ reply: inout ReplyBuffer) {
        let (key, bytes) = (request[1], request[2])
        let hash = keyHash.hash(key)
        onShard(of: hash) { shard in
            guard let slot = shard.find(hash, key) else {
                guard shard.set(hash, key, bytes, whenReplaced: { _, _ in }) else {
                    return reply.appendOutOfMemory()
                }
                return reply.appendInteger(bytes.count)
            }
            let newCount = slot.pointee.entry!.valueCount + bytes.count
            guard newCount <= configuration.maxBulkBytes else { return reply.appendTooLong() }
            guard shard.append(bytes, to: slot) else { return reply.appendOutOfMemory() }
            reply.appendInteger(newCount)
        }
    }

    /// STRLEN key.
    func length(_ request: Request, _ reply: inout ReplyBuffer) {
        let key = request[1]
        let hash = keyHash.hash(key)
        let count = onShard(of: hash) { $0.value(hash, key)?.count ?? 0 }
        reply.appendInteger(count)
    }
}

extension Shard {
    /// Writes a key whether it is there or not; false: the store is full.
    /// - Parameter isReserved: the room is reserved; the answer is true.
    @inline(__always)
    func set(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        isReserved: Bool = false, whenReplaced: (Shard, Entry) -> Void
    ) -> Bool {
        // One that has expired is replaced like any other: with its deadline.
        guard let slot = table.find(hash, key) else {
            guard isReserved || reserve(keyCount: key.count, valueCount: value.count) else {
                return false
            }
            insert(hash, key, value: value)
            return true
        }
        guard
            isReserved || slot.pointee.entry!.isSuitable(forValueCount: value.count)
                || reserve(keyCount: key.count, valueCount: value.count)
        else { return false }
        whenReplaced(self, replaceValue(in: slot, by: value))
        return true
    }

    /// A SET with options.
    func set(
        _ hash: UInt64, _ request: Request, _ options: SetOptions, deadline: Int64?,
        _ reply: inout ReplyBuffer
    ) {
        let (key, value) = (request[1], request[2])
        let mark = reply.count
        let old = find(hash, key)?.pointee.entry
        if options.returnsOldValue {
            if let old { reply.appendBulk(old.value) } else { reply.appendNull() }
        }
        let mayWrite =
            switch options.condition {
            case .always: true
            case .isAbsent: old == nil
            case .isPresent: old != nil
            }
        guard mayWrite else {
            if !options.returnsOldValue { reply.appendNull() }
            return
        }
        let keepsDeadline = options.keepsDeadline || deadline != nil
        let isWritten = set(hash, key, value) { shard, entry in
            if !keepsDeadline { _ = shard.clearDeadline(entry) }
        }
        guard isWritten else {
            reply.truncate(to: mark)
            return reply.appendOutOfMemory()
        }
        if let deadline {
            setDeadline(deadline, for: table.find(hash, key)!.pointee.entry!, hash: hash)
        }
        if !options.returnsOldValue { reply.appendOK() }
    }

    func increment(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, by amount: Int64,
        _ reply: inout ReplyBuffer
    ) {
        let slot = find(hash, key)
        var value: Int64 = 0
        if let entry = slot?.pointee.entry {
            guard let number = Decimal.parse(entry.value) else { return reply.appendNotAnInteger() }
            value = number
        }
        let (sum, isOver) = value.addingReportingOverflow(amount)
        if isOver { return reply.append("-ERR increment or decrement would overflow\r\n") }
        let count = Decimal.count(sum)
        if let entry = slot?.pointee.entry, count <= entry.valueCapacity {
            Decimal.write(sum, to: entry.valueStart, count: count)
            entry.setValueCount(count)
            return reply.appendInteger(Int(sum))
        }
        let isWritten = withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { text in
            Decimal.write(sum, to: text.baseAddress!, count: count)
            return set(hash, key, UnsafeRawBufferPointer(text), whenReplaced: { _, _ in })
        }
        if isWritten { reply.appendInteger(Int(sum)) } else { reply.appendOutOfMemory() }
    }
}
