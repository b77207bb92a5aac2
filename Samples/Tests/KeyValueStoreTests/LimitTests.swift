import Testing

@testable import KeyValueStore

@Suite("Limits")
struct LimitTests {
    private static let outOfMemory =
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n"

    @Test("a full store refuses what needs room, and takes it again when there is some")
    func maxMemory() {
        let limit = 1_000_000
        // One shard: with several, another key may find room that its shard keeps.
        let store = makeStore {
            $0.maxMemoryBytes = limit
            $0.shardCount = 1
        }
        let client = Conversation(store)
        let value = String(repeating: "x", count: 1000)
        var written = 0
        while client.call("SET", "key\(written)", value) == "+OK\r\n" { written += 1 }
        #expect(client.call("SET", "other", value) == Self.outOfMemory)
        #expect(store.statistics.usedMemoryBytes <= limit)
        #expect(store.statistics.usedMemoryBytes > limit * 8 / 10)
        #expect(client.call("APPEND", "key1", value + value) == Self.outOfMemory)
        #expect(client.call("MSET", "key1", "small", "other", value) == Self.outOfMemory)
        #expect(client.call("SET", "other", value, "EX", "5", "GET") == Self.outOfMemory)
        #expect(client.call("GET", "key1") == bulk(value))
        #expect(client.call("SET", "key1", value) == "+OK\r\n", "in its old memory")
        #expect(client.call("GET", "other") == "$-1\r\n")
        for number in 0..<written { client.call("DEL", "key\(number)") }
        #expect(client.call("MSET", "a", value, "b", value) == "+OK\r\n")
        client.call("FLUSHALL")
        #expect(store.statistics.usedMemoryBytes < 10_000)
        var again = 0
        while client.call("SET", "key\(again)", value) == "+OK\r\n" { again += 1 }
        #expect(again > written * 9 / 10)
    }

    @Test("the shards use most of the memory together, and never more", arguments: [2, 16, 64])
    func sharedMemory(shardCount: Int) {
        let limit = 1_000_000
        let store = makeStore {
            $0.maxMemoryBytes = limit
            $0.shardCount = shardCount
        }
        let client = Conversation(store)
        let value = String(repeating: "x", count: 1000)
        for number in 0..<2000 { client.call("SET", "key\(number)", value) }
        #expect(store.statistics.usedMemoryBytes <= limit)
        #expect(store.statistics.usedMemoryBytes > limit * 9 / 10)
    }

    @Test("MSET writes all keys or none, also while tables grow at the limit")
    func atomicMemory() {
        let store = makeStore { $0.maxMemoryBytes = 120_000 }
        let client = Conversation(store)
        var round = 0
        while true {
            let words = (0..<100).flatMap { ["r\(round)k\($0)", "v"] }
            if client.send(encoded(["MSET"] + words)) != "+OK\r\n" { break }
            round += 1
        }
        #expect(round > 2)
        #expect(store.keyCount == 100 * round)
    }

    @Test("what an MSET reserves and does not use is there for others")
    func reservations() {
        let client = Conversation(makeStore { $0.maxMemoryBytes = 1_000_000 })
        let value = String(repeating: "x", count: 100_000)
        let words = (0..<4).flatMap { ["key\($0)", value] }
        for _ in 0..<3 { #expect(client.send(encoded(["MSET"] + words)) == "+OK\r\n") }
        let tooMuch = (0..<10).flatMap { ["other\($0)", value] }
        for _ in 0..<3 { #expect(client.send(encoded(["MSET"] + tooMuch)) == Self.outOfMemory) }
        for number in 0..<5 { #expect(client.call("SET", "new\(number)", value) == "+OK\r\n") }
        let large = String(repeating: "x", count: 500_000)
        #expect(client.call("SET", "new1", large) == Self.outOfMemory)
    }

    @Test("room that is held stays reserved while part of it is used")
    func held() {
        let budget = MemoryBudget(limit: 1_000_000, shardCount: 2)
        var (one, other) = (MemoryAccount(budget), MemoryAccount(budget))
        one.hold()
        let isReserved = one.reserve(900_000)
        one.charge(1000)
        let isTooMuch = !other.reserve(200_000)
        one.release()
        let isFree = other.reserve(200_000)
        #expect(isReserved && isTooMuch && isFree)
    }

    @Test("one value may take nearly all of the memory")
    func largeValue() {
        let client = Conversation(makeStore { $0.maxMemoryBytes = 1_000_000 })
        #expect(client.call("SET", "a", String(repeating: "x", count: 900_000)) == "+OK\r\n")
        #expect(client.call("SET", "b", String(repeating: "x", count: 200_000)) == Self.outOfMemory)
        #expect(client.call("DEL", "a") == ":1\r\n")
        #expect(client.call("SET", "b", String(repeating: "x", count: 200_000)) == "+OK\r\n")
    }

    @Test("a value cannot be appended to beyond its greatest length")
    func longValues() {
        let client = Conversation(makeStore { $0.maxBulkBytes = 100 })
        client.call("SET", "a", String(repeating: "x", count: 90))
        #expect(client.call("APPEND", "a", "0123456789") == ":100\r\n")
        #expect(
            client.call("APPEND", "a", "0")
                == "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n")
        #expect(client.call("STRLEN", "a") == ":100\r\n")
        #expect(
            client.call("SET", "a", String(repeating: "x", count: 101))
                == "-ERR Protocol error: invalid bulk length\r\n")
        #expect(client.outcome == .close)
    }

    @Test("a small command cannot ask for an endless reply")
    func longReplies() {
        let client = Conversation(makeStore { $0.maxReplyBytes = 10_000 })
        client.call("SET", "a", String(repeating: "x", count: 1000))
        let names = { (count: Int) in ["MGET"] + [String](repeating: "a", count: count) }
        #expect(client.send(encoded(names(9))).hasPrefix("*9\r\n"))
        #expect(client.send(encoded(names(11))) == "-ERR reply too large\r\n")
        #expect(client.outcome == .continue)
    }

    @Test("a command has a greatest number of words")
    func words() {
        let client = Conversation(makeStore { $0.maxArguments = 3 })
        #expect(client.type("SET a 1") == "+OK\r\n")
        #expect(client.send("SET a 1 XX\r\n").contains("invalid multibulk length"))
        #expect(client.outcome == .close)
    }

    @Test("one shard is enough, and 64 are the most", arguments: [1, 2, 64])
    func shards(count: Int) {
        let store = makeStore { $0.shardCount = count }
        let client = Conversation(store)
        let words = (0..<1000).flatMap { ["key\($0)", "\($0)"] }
        #expect(client.send(encoded(["MSET"] + words)) == "+OK\r\n")
        for number in stride(from: 0, to: 1000, by: 7) {
            #expect(client.call("GET", "key\(number)") == bulk("\(number)"))
        }
        #expect(store.keyCount == 1000)
        #expect(client.type("FLUSHALL") == "+OK\r\n")
        #expect(store.keyCount == 0)
    }
}
