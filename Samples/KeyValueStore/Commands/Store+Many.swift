extension Store {
    /// MGET key ...: all values of one moment.
    func getMany(_ request: Request, _ reply: inout ReplyBuffer) {
        let keys = stride(from: 1, to: request.count, by: 1)
        let mask = request.hashKeys(keys, for: self)
        let mark = reply.count
        reply.appendArrayHeader(request.count - 1)
        onShards(mask) {
            for index in keys {
                let hash = request.hash(at: index)
                let found = onEnteredShard(of: hash) { $0.value(hash, request[index]) }
                guard let value = found else {
                    reply.appendNull()
                    continue
                }
                // A few bytes for a key may ask for a large value, any number of times.
                guard reply.count - mark + value.count <= configuration.maxReplyBytes else {
                    reply.truncate(to: mark)
                    return reply.append("-ERR reply too large\r\n")
                }
                reply.appendBulk(value)
            }
        }
    }

    /// MSET key value ...: all keys at one moment, or none if there is no room for them.
    func setMany(_ request: Request, _ reply: inout ReplyBuffer) {
        guard request.count % 2 == 1 else { return reply.appendWrongCount("mset") }
        let keys = stride(from: 1, to: request.count, by: 2)
        let mask = request.hashKeys(keys, for: self)
        var isWritten = false
        onShards(mask) {
            onEnteredShards(mask) { $0.account.hold() }
            if reserve(keys, of: request) {
                write(keys, of: request)
                isWritten = true
            }
            onEnteredShards(mask) { $0.account.release() }
        }
        if isWritten { reply.appendOK() } else { reply.appendOutOfMemory() }
    }

    /// Makes sure that no SET of an MSET can fail. Keys that are there already count as new ones.
    private func reserve(_ keys: StrideTo<Int>, of request: Request) -> Bool {
        var sums = [Int](repeating: 0, count: configuration.shardCount)
        for index in keys {
            let hash = request.hash(at: index)
            sums[shardIndex(hash)] += Entry.memoryBytes(
                keyCount: request[index].count, valueCount: request[index + 1].count)
            let sum = sums[shardIndex(hash)]
            guard onEnteredShard(of: hash, { $0.account.reserve(sum) }) else { return false }
        }
        return true
    }

    private func write(_ keys: StrideTo<Int>, of request: Request) {
        for index in keys {
            let hash = request.hash(at: index)
            onEnteredShard(of: hash) { shard in
                _ = shard.set(hash, request[index], request[index + 1], isReserved: true) {
                    _ = $0.clearDeadline($1)
                }
            }
        }
    }

    /// DEL key ...
    func delete(_ request: Request, _ reply: inout ReplyBuffer) {
        let count = countKeys(request) { shard, slot in shard.remove(slot) }
        reply.appendInteger(count)
    }

    /// EXISTS key ...: a key that is named twice counts twice.
    func exists(_ request: Request, _ reply: inout ReplyBuffer) {
        let count = countKeys(request) { _, _ in }
        reply.appendInteger(count)
    }

    /// Counts the keys that are there, and does something with each.
    private func countKeys(
        _ request: Request, _ body: (Shard, UnsafeMutablePointer<EntryTable.Slot>) -> Void
    ) -> Int {
        let keys = stride(from: 1, to: request.count, by: 1)
        let mask = request.hashKeys(keys, for: self)
        var count = 0
        onShards(mask) {
            for index in keys {
                let hash = request.hash(at: index)
                onEnteredShard(of: hash) { shard in
                    guard let slot = shard.find(hash, request[index]) else { return }
                    count += 1
                    body(shard, slot)
                }
            }
        }
        return count
    }

    /// FLUSHDB, FLUSHALL [ASYNC | SYNC].
    func flush(_ request: Request, _ reply: inout ReplyBuffer) {
        let isValid =
            request.count == 1
            || request.count == 2 && (request.matches(1, "ASYNC") || request.matches(1, "SYNC"))
        guard isValid else { return reply.appendSyntaxError() }
        removeAll()
        reply.appendOK()
    }
}
