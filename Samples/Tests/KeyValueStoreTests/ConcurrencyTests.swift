import Testing

@testable import KeyValueStore

/// Many clients at once, each on a thread of its own.
@Suite("Clients at once", .serialized)
struct ConcurrencyTests {
    @Test("MGET sees all keys of an MSET, or none")
    func atomicity() {
        let store = Store()
        // In other orders, so that commands would wait for one another in a circle if they could.
        let keys = (0..<12).map { "key\($0)" }
        Conversation(store).send(encoded(["MSET"] + keys.flatMap { [$0, "0"] }))
        onThreads(6) { number in
            let client = Conversation(store)
            var random = SeededGenerator(seed: UInt64(number))
            for round in 0..<400 {
                let order = keys.shuffled(using: &random)
                if number < 3 {
                    let value = "\(number)-\(round)"
                    let reply = client.send(encoded(["MSET"] + order.flatMap { [$0, value] }))
                    #expect(reply == "+OK\r\n")
                } else {
                    let reply = client.send(encoded(["MGET"] + order))
                    let lines = reply.split(separator: "\r\n").dropFirst()
                    let values = lines.filter { $0.first != "$" }
                    #expect(values.count == keys.count && Set(values).count == 1, "\(values)")
                }
            }
        }
    }

    @Test("no increment is lost")
    func increments() {
        let store = Store()
        onThreads(6) { number in
            let client = Conversation(store)
            let batch = (0..<50).flatMap { encoded(["INCR", "counter\($0 % 3)"]) }
            for _ in 0..<20 { _ = client.send(batch) }
            for _ in 0..<100 { client.type("INCRBY counter0 -1") }
        }
        let client = Conversation(store)
        let sum = (0..<3).map { number in
            let reply = client.type("INCRBY counter\(number) 0")
            return Int(reply.dropFirst().dropLast(1))!
        }.reduce(0, +)
        #expect(sum == 6 * 1000 - 6 * 100)
        #expect(store.statistics.commands == 6 * 1100 + 3)
    }

    @Test("clients write, read, remove, flush and let expire the same keys")
    func everything() {
        let store = makeStore { $0.maxMemoryBytes = 300_000 }
        onThreads(6) { number in
            let client = Conversation(store)
            var random = SeededGenerator(seed: 100 + UInt64(number))
            for round in 0..<1500 {
                let key = "key\(Int.random(in: 0..<200, using: &random))"
                let other = "key\(Int.random(in: 0..<200, using: &random))"
                let value = String(
                    repeating: "v", count: Int.random(in: 0..<3000, using: &random))
                let requests = [
                    ["SET", key, value], ["SET", key, value, "PX", "1"], ["GET", key],
                    ["DEL", key, other], ["APPEND", key, value], ["PEXPIRE", key, "2"],
                    ["MSET", key, value, other, value], ["MGET", key, other, "key1"],
                    ["EXISTS", other, key], ["PERSIST", key], ["TTL", key], ["DBSIZE"], ["INFO"],
                ]
                let chosen = requests.randomElement(using: &random)!
                let request = round % 300 == 299 ? ["FLUSHALL"] : chosen
                let reply = client.send(encoded(request))
                let isRefused = reply.hasPrefix("-OOM")
                #expect(isRefused || !reply.hasPrefix("-"), "\(request[0]): \(reply.prefix(100))")
            }
        }
        let client = Conversation(store)
        #expect(client.type("FLUSHALL") == "+OK\r\n")
        #expect(store.keyCount == 0)
        #expect(store.statistics.keysWithDeadline == 0)
        #expect(store.statistics.usedMemoryBytes < 10_000)
    }
}
