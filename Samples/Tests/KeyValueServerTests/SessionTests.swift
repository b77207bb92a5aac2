import RingDispatch
import Testing

@testable import KeyValueServer

@Suite("Sessions", .watchdog)
struct SessionTests {
    @Test("pipelined commands are answered in their order")
    func pipelining() {
        let client = Conversation()
        var bytes: [UInt8] = []
        var expected = ""
        for number in 0..<1000 {
            bytes += encoded(["SET", "key\(number % 10)", "\(number)"])
            bytes += encoded(["GET", "key\(number % 10)"])
            expected += "+OK\r\n" + bulk("\(number)")
        }
        #expect(client.send(bytes) == expected)
    }

    @Test("typed lines are commands")
    func typedLines() {
        let client = Conversation()
        #expect(client.send("PING\r\n") == "+PONG\r\n")
        #expect(client.send("\r\n\n  \r\n") == "")
        #expect(client.send("SET a \"x y\"\nGET a\r\n") == "+OK\r\n" + bulk("x y"))
    }

    @Test("keys and values may hold any bytes, and none")
    func anyBytes() {
        let client = Conversation()
        let key: [UInt8] = [0, 13, 10, 36, 255]
        let value = (0...255).map { UInt8($0) }
        #expect(client.send(encoded([Array("SET".utf8), key, value])) == "+OK\r\n")
        #expect(client.send(encoded([Array("STRLEN".utf8), key])) == ":256\r\n")
        #expect(client.send(encoded([Array("EXISTS".utf8), Array(key.dropLast())])) == ":0\r\n")
        #expect(client.call("SET", "", "") == "+OK\r\n")
        #expect(client.call("GET", "") == "$0\r\n\r\n")
        #expect(client.call("MGET", "", "x") == "*2\r\n$0\r\n\r\n$-1\r\n")
        #expect(client.call("APPEND", "", "") == ":0\r\n")
        #expect(client.call("DEL", "") == ":1\r\n")
    }

    @Test("QUIT and protocol errors end the session, and nothing behind them is executed")
    func ends() {
        let client = Conversation()
        #expect(client.send("SET a 1\r\nQUIT\r\nSET a 2\r\n") == "+OK\r\n+OK\r\n")
        #expect(client.isClosed)
        let other = Conversation(client.database)
        #expect(
            other.send("PING\r\n*1\r\n:5\r\nSET a 4\r\n")
                == "+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n")
        #expect(other.isClosed)
        #expect(Conversation(client.database).type("GET a") == bulk("1"))
    }

    @Test("a request that a browser was made to send executes nothing")
    func browsers() {
        for line in ["POST / HTTP/1.1", "Host: localhost"] {
            let client = Conversation()
            #expect(client.send("\(line)\r\nSET a 1\r\n").hasPrefix("-ERR unknown command"))
            #expect(client.isClosed)
            #expect(client.onQueue { $0.count } == 0)
        }
    }

    @Test("a client that does not read makes the session pause, and loses nothing")
    func pause() {
        let client = Conversation()
        let value = String(repeating: "x", count: 100_000)
        client.call("SET", "a", value)
        let before = client.onQueue { $0.commands }
        client.write((0..<200).flatMap { encoded(["GET", "a"]) + encoded(["ECHO", "\($0)"]) })
        client.write(encoded(["QUIT"]))
        Conversation(client.database).type("PING")
        // What fits into the buffers of the kernel and of the connection, and not more.
        let executed = client.onQueue { $0.commands } - before
        #expect(executed < 100, "\(executed)")
        let expected = (0..<200).map { bulk(value) + bulk("\($0)") }.joined() + "+OK\r\n"
        let isSame = client.read() == expected
        #expect(isSame)
    }

    @Test("open sessions are counted as long as they live")
    func counted() {
        let database = Database()
        var clients = (0..<20).map { _ in Conversation(database) }
        #expect(database.queue.sync { database.openSessions } == 20)
        for client in clients { client.type("QUIT") }
        clients.removeLast(15)
        #expect(poll { database.queue.sync { database.openSessions } == 0 })
        #expect(Conversation(database).type("INFO").contains("connected_clients:1\r\n"))
        #expect(database.queue.sync { database.sessions } == 21)
    }

    @Test("a full database refuses what needs room, and takes it again when there is some")
    func maxMemory() {
        let client = Conversation(Database(maxMemory: 1_000_000))
        let value = String(repeating: "x", count: 1000)
        var written = 0
        while client.call("SET", "key\(written)", value) == "+OK\r\n" { written += 1 }
        #expect((800...1000).contains(written))
        for command in [
            ["SET", "key1", "x"], ["SETNX", "b", "x"], ["MSET", "b", "x"], ["APPEND", "b", "x"],
            ["INCR", "b"], ["DECRBY", "b", "1"],
        ] {
            #expect(
                client.send(encoded(command))
                    == "-OOM command not allowed when used memory > 'maxmemory'.\r\n")
        }
        #expect(client.call("GET", "key1") == bulk(value))
        #expect(client.call("DEL", "key1", "key2") == ":2\r\n")
        #expect(client.call("SET", "key1", value) == "+OK\r\n")
        client.call("FLUSHALL")
        #expect(client.onQueue { $0.usedMemory } == 0)
    }

    @Test("random bytes and broken commands never do harm", arguments: 0..<10 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let database = Database(maxMemory: 200_000)
        let words =
            Command.all.keys.filter { $0 != "quit" }.sorted() + [
                "a", "b", "c", "", "0", "1", "-1", "9223372036854775807", "EX", "PX", "NX", "GET",
                "2",
                "KEEPTTL", "DOCS", "SETNAME", String(repeating: "v", count: 3000), "*", "save",
            ]
        for _ in 0..<30 {
            let client = Conversation(database)
            for _ in 0..<20 {
                var bytes = encoded(
                    (0..<Int.random(in: 1...6, using: &random)).map { _ in
                        words.randomElement(using: &random)!
                    })
                for _ in 0..<[0, 0, 0, 1, 5].randomElement(using: &random)! {
                    bytes[Int.random(in: bytes.indices, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                client.write(bytes)
            }
        }
        let client = Conversation(database)
        #expect(client.call("FLUSHALL") == "+OK\r\n")
        #expect(client.call("SET", "a", "b") == "+OK\r\n")
    }
}
