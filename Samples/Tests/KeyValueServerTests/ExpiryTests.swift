import RingDispatch
import Testing

@testable import KeyValueServer

@Suite("Expiry", .watchdog)
struct ExpiryTests {
    @Test("a key is there to the end of its time, and gone after it")
    func access() {
        let clock = ManualClock()
        let client = Conversation(clock.makeDatabase())
        client.type("SET a 1 PX 1500")
        #expect(client.type("PTTL a") == ":1500\r\n")
        #expect(client.type("TTL a") == ":2\r\n")
        clock.advance(milliseconds: 1500)
        #expect(client.type("GET a") == bulk("1"))
        #expect(client.type("PTTL a") == ":0\r\n")
        clock.advance(milliseconds: 1)
        #expect(client.type("GET a") == "$-1\r\n")
        #expect(client.type("DBSIZE") == ":0\r\n")
        #expect(client.onQueue { $0.expiredKeys } == 1)
    }

    @Test(
        "to every command a key that has expired is not there",
        arguments: [
            ("GET a", "$-1"), ("EXISTS a", ":0"), ("DEL a", ":0"), ("INCR a", ":1"),
            ("APPEND a xy", ":2"), ("STRLEN a", ":0"), ("TTL a", ":-2"), ("PTTL a", ":-2"),
            ("PERSIST a", ":0"), ("EXPIRE a 10", ":0"), ("TYPE a", "+none"),
            ("SET a 1 XX", "$-1"), ("SET a 1 NX", "+OK"), ("SET a 1 GET", "$-1"),
            ("MGET a", "*1\r\n$-1"), ("INCRBY a 5", ":5"), ("GETDEL a", "$-1"),
            ("SETNX a 1", ":1"),
        ])
    func everyCommand(request: String, reply: String) {
        let clock = ManualClock()
        let client = Conversation(clock.makeDatabase())
        client.type("SET a 100 EX 10")
        clock.advance(milliseconds: 10_001)
        #expect(client.type(request) == reply + "\r\n")
    }

    @Test(
        "a key that is written after it expired lives for ever",
        arguments: ["SET a 1", "MSET a 1", "SET a 1 KEEPTTL", "INCR a", "APPEND a x"])
    func rewritten(request: String) {
        let clock = ManualClock()
        let client = Conversation(clock.makeDatabase())
        client.type("SET a 100 EX 10")
        clock.advance(milliseconds: 10_001)
        client.type(request)
        #expect(client.type("TTL a") == ":-1\r\n")
    }

    @Test("a key that expires while its time is asked for is there, or is not")
    func expiring() {
        let clock = ManualClock()
        let database = clock.makeDatabase()
        let client = Conversation(database)
        database.queue.sync {
            let time = database.clock
            // Time passes whenever somebody reads the clock.
            database.clock = {
                defer { clock.advance(milliseconds: 1) }
                return time()
            }
        }
        for _ in 0..<20 {
            client.type("SET a 1 PX 5")
            var reply: String
            repeat {
                reply = client.type("PTTL a")
                #expect(reply != ":-1\r\n")
            } while reply != ":-2\r\n"
        }
    }

    @Test("a key whose time is over before its deadline is noted is removed, too")
    func lateNote() {
        let clock = ManualClock()
        let database = clock.makeDatabase()
        database.queue.sync {
            for number in 0..<3 {
                let deadline = database.clock() + 1
                clock.advance(milliseconds: 1000)
                database.set(Bytes(array: [UInt8(number)]), Bytes(array: []), deadline: deadline)
                if number == 1 { database.sweep() }
            }
            database.sweep()
            #expect(database.count == 0 && database.keysWithDeadline == 0)
        }
    }

    @Test("keys that nobody asks for are removed in turns, the earliest first")
    func turns() {
        let clock = ManualClock()
        let database = clock.makeDatabase()
        let key = { (number: Int) in Bytes(array: Array("\(number)".utf8)) }
        database.queue.sync {
            for number in 0..<3000 {
                let deadline = database.clock() + 1 + number
                database.set(key(number), Bytes(array: []), deadline: deadline)
            }
            database.set(key(-1), Bytes(array: []))
            clock.advance(milliseconds: 2000)
            database.sweep()
            // A turn removes a thousand at most, and checks slices.
            #expect((2001...2050).contains(database.count))
            #expect(database.keysWithDeadline == database.count - 1)
            #expect(database.find(key(0)) == nil && database.find(key(2500)) != nil)
            for _ in 0..<5 { database.sweep() }
            #expect((1001...1101).contains(database.count), "all of the slices that are over")
            clock.advance(milliseconds: 100_000)
            for _ in 0..<5 { database.sweep() }
            #expect(database.count == 1 && database.keysWithDeadline == 0)
            #expect(database.expiredKeys == 3000)
            database.set(key(1), Bytes(array: []), deadline: database.clock() + 1)
            database.removeAll()
            #expect(database.keysWithDeadline == 0)
        }
    }

    @Test("removal keeps pace with a load that leaves no time for sweeps")
    func pace() {
        let clock = ManualClock()
        let database = clock.makeDatabase()
        database.queue.sync {
            for number in 0..<30_000 {
                let key = Bytes(array: Array("\(number)".utf8))
                database.set(key, Bytes(array: []), deadline: database.clock() + 1)
                if number % 3000 == 0 { clock.advance(milliseconds: 200) }
                #expect(database.count <= 6000)
            }
        }
    }

    @Test("deadlines go with their keys")
    func bookkeeping() {
        let clock = ManualClock()
        let client = Conversation(clock.makeDatabase())
        var random = SeededGenerator(seed: 6)
        for _ in 0..<5000 {
            let key = Int.random(in: 0..<50, using: &random)
            let requests = [
                "SET \(key) x EX 5", "SET \(key) \(String(repeating: "y", count: 100)) KEEPTTL",
                "DEL \(key)", "PERSIST \(key)", "EXPIRE \(key) 7", "SET \(key) z",
                "APPEND \(key) long-piece", "GET \(key)", "MSET \(key) 1 50 2", "GETDEL \(key)",
            ]
            client.type(requests.randomElement(using: &random)!)
            clock.advance(milliseconds: Int.random(in: 0..<100, using: &random))
            if Int.random(in: 0..<100, using: &random) == 0 { client.onQueue { $0.sweep() } }
        }
        for key in 0...50 { client.type("DEL \(key)") }
        #expect(client.onQueue { $0.keysWithDeadline } == 0)
        #expect(client.onQueue { $0.count } == 0)
        #expect(client.onQueue { $0.usedMemory } == 0)
    }

    @Test("the timer removes keys that nobody asks for, also when a later one was set first")
    func timer() {
        let client = Conversation()
        client.type("SET keep x EX 10000")
        for number in 0..<2000 { client.type("SET \(number) x EX 10000") }
        for number in 0..<1000 { client.type("PEXPIRE \(number) \(1 + number % 20)") }
        #expect(poll { client.onQueue { $0.count } == 1001 })
        #expect(client.onQueue { $0.expiredKeys } == 1000)
        // And once more, when the timers have fired.
        for number in 1000..<2000 { client.type("PEXPIRE \(number) 1") }
        #expect(poll { client.onQueue { $0.count } == 1 })
        #expect(client.type("GET keep") == bulk("x"))
    }

    @Test("a database goes while keys of it are to expire")
    func databaseGoes() {
        weak var weakDatabase: Database?
        do {
            let client = Conversation()
            weakDatabase = client.database
            for number in 0..<200 { client.type("SET \(number) x PX \(1 + number % 3)") }
        }
        #expect(poll { weakDatabase == nil })
    }
}
