import Testing

@testable import KeyValueStore

@Suite("Expiry")
struct ExpiryTests {
    @Test("a key is there to the end of its time, and gone after it")
    func access() {
        let clock = ManualClock()
        let client = Conversation(clock.makeStore())
        client.type("SET a 1 PX 1500")
        #expect(client.type("PTTL a") == ":1500\r\n")
        #expect(client.type("TTL a") == ":2\r\n")
        clock.advance(milliseconds: 1500)
        #expect(client.type("GET a") == bulk("1"))
        #expect(client.type("PTTL a") == ":0\r\n")
        clock.advance(milliseconds: 1)
        #expect(client.type("DBSIZE") == ":1\r\n")
        #expect(client.type("GET a") == "$-1\r\n")
        #expect(client.type("DBSIZE") == ":0\r\n")
        #expect(client.store.statistics.expiredKeys == 1)
    }

    @Test(
        "to every command a key that has expired is not there",
        arguments: [
            ("GET a", "$-1"), ("EXISTS a", ":0"), ("DEL a", ":0"), ("INCR a", ":1"),
            ("APPEND a xy", ":2"), ("STRLEN a", ":0"), ("TTL a", ":-2"), ("PTTL a", ":-2"),
            ("PERSIST a", ":0"), ("EXPIRE a 10", ":0"), ("TYPE a", "+none"),
            ("SET a 1 XX", "$-1"), ("SET a 1 NX", "+OK"), ("SET a 1 GET", "$-1"),
            ("MGET a", "*1\r\n$-1"), ("INCRBY a 5", ":5"),
        ])
    func everyCommand(request: String, reply: String) {
        let clock = ManualClock()
        let client = Conversation(clock.makeStore())
        client.type("SET a 100 EX 10")
        clock.advance(milliseconds: 10_001)
        #expect(client.type(request) == reply + "\r\n")
    }

    @Test(
        "a key that is written after it expired lives for ever",
        arguments: ["SET a 1", "MSET a 1", "SET a 1 KEEPTTL", "INCR a", "APPEND a x"])
    func rewritten(request: String) {
        let clock = ManualClock()
        let client = Conversation(clock.makeStore())
        client.type("SET a 100 EX 10")
        clock.advance(milliseconds: 10_001)
        client.type(request)
        #expect(client.type("TTL a") == ":-1\r\n")
    }

    @Test("keys that nobody asks for are removed in turns, the earliest first")
    func turns() {
        let clock = ManualClock()
        let store = clock.makeStore { $0.shardCount = 1 }
        let client = Conversation(store)
        for number in 0..<1000 { client.type("SET \(number) x PX \(10 * (number + 1))") }
        client.type("SET forever x")
        clock.advance(milliseconds: 5001)
        store.removeExpired()
        #expect(store.keyCount == 1001 - 256)
        store.removeExpired()
        #expect(store.keyCount == 501)
        store.removeExpired()
        #expect(store.keyCount == 501)
        #expect(client.type("EXISTS 499 500 forever") == ":2\r\n")
        clock.advance(milliseconds: 100_000)
        for _ in 0..<5 { store.removeExpired() }
        #expect(store.keyCount == 1)
        #expect(store.statistics.keysWithDeadline == 0)
        #expect(store.statistics.expiredKeys == 1000)
    }

    @Test("deadlines go with their keys")
    func bookkeeping() {
        let clock = ManualClock()
        let store = clock.makeStore()
        let client = Conversation(store)
        var random = SeededGenerator(seed: 6)
        client.type("FLUSHALL")
        let before = store.statistics.usedMemoryBytes
        for _ in 0..<5000 {
            let key = Int.random(in: 0..<50, using: &random)
            let requests = [
                "SET \(key) x EX 5", "SET \(key) \(String(repeating: "y", count: 100)) KEEPTTL",
                "DEL \(key)", "PERSIST \(key)", "EXPIRE \(key) 7", "SET \(key) z",
                "APPEND \(key) long-piece", "GET \(key)", "MSET \(key) 1 50 2",
            ]
            client.type(requests.randomElement(using: &random)!)
            clock.advance(milliseconds: Int64.random(in: 0..<100, using: &random))
            if Int.random(in: 0..<100, using: &random) == 0 { store.removeExpired() }
        }
        for key in 0...50 { client.type("DEL \(key)") }
        #expect(store.statistics.keysWithDeadline == 0)
        #expect(store.keyCount == 0)
        #expect(store.statistics.usedMemoryBytes == before)
    }

    @Test("the timer removes keys that nobody asks for, also when a later one was set first")
    func timer() {
        let store = Store()
        let client = Conversation(store)
        client.type("SET keep x EX 10000")
        for number in 0..<2000 { client.type("SET \(number) x EX 10000") }
        for number in 0..<1000 { client.type("PEXPIRE \(number) \(1 + number % 20)") }
        #expect(poll { store.keyCount == 1001 })
        #expect(store.statistics.expiredKeys == 1000)
        // And once more, when the timers have fired.
        for number in 1000..<2000 { client.type("PEXPIRE \(number) 1") }
        #expect(poll { store.keyCount == 1 })
        #expect(client.type("GET keep") == bulk("x"))
    }

    @Test("a store goes while keys of it are to expire")
    func storeGoes() {
        weak var weakStore: Store?
        do {
            let client = Conversation()
            weakStore = client.store
            for number in 0..<200 { client.type("SET \(number) x PX \(1 + number % 3)") }
        }
        #expect(weakStore == nil)
    }
}
