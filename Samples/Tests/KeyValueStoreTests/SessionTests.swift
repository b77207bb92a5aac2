import Testing

@testable import KeyValueStore

@Suite("Sessions")
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
        #expect(client.outcome == .continue)
    }

    @Test("typed lines are commands")
    func typedLines() {
        let client = Conversation()
        #expect(client.send("PING\r\n") == "+PONG\r\n")
        #expect(client.send("\r\n\n  \r\n") == "")
        #expect(client.send("SET a \"x y\"\nGET a\r\nGE") == "+OK\r\n" + bulk("x y"))
        #expect(client.send("T a\n") == bulk("x y"))
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
        #expect(client.outcome == .close)
        #expect(client.send("SET a 3\r\n") == "")
        #expect(client.outcome == .close)
        let other = Conversation(client.store)
        #expect(
            other.send("PING\r\n*1\r\n:5\r\nSET a 4\r\n")
                == "+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n")
        #expect(other.outcome == .close)
        #expect(Conversation(client.store).type("GET a") == bulk("1"))
    }

    @Test("a request that a browser was made to send executes nothing")
    func browsers() {
        for line in ["POST / HTTP/1.1", "Host: localhost"] {
            let client = Conversation()
            #expect(client.send("\(line)\r\nSET a 1\r\n") == "")
            #expect(client.outcome == .close)
            #expect(client.store.keyCount == 0)
        }
    }

    @Test("a client that does not read makes the session pause, and loses nothing")
    func pause() {
        let store = makeStore { $0.replyHighWaterBytes = 1000 }
        let client = Conversation(store)
        client.call("SET", "a", String(repeating: "x", count: 300))
        let value = bulk(String(repeating: "x", count: 300))
        let requests = (0..<100).flatMap { encoded(["GET", "a"]) + encoded(["ECHO", "\($0)"]) }
        let expected = (0..<100).map { value + bulk("\($0)") }.joined()
        // The last command has not come whole.
        var replies = client.send(requests.dropLast(3) + [])
        #expect(client.outcome == .pause)
        #expect(replies.utf8.count < 1000 + value.utf8.count)
        // What comes meanwhile waits behind the rest.
        var pauses = 0
        replies += client.send(Array(requests.suffix(3)))
        while client.outcome == .pause {
            let some = client.resume()
            #expect(some.utf8.count < 1000 + value.utf8.count)
            replies += some
            pauses += 1
        }
        #expect(client.outcome == .continue)
        #expect(pauses > 10)
        #expect(replies == expected)
        #expect(client.type("PING") == "+PONG\r\n")
    }

    @Test("an end behind a pause comes after all replies")
    func endBehindPause() {
        let client = Conversation(makeStore { $0.replyHighWaterBytes = 10 })
        var replies = client.send("ECHO 1234567890\r\nECHO 2234567890\r\nQUIT\r\nPING\r\n")
        #expect(client.outcome == .pause)
        while client.outcome == .pause { replies += client.resume() }
        #expect(client.outcome == .close)
        #expect(replies == bulk("1234567890") + bulk("2234567890") + "+OK\r\n")
    }

    @Test("open sessions are counted as long as they live")
    func counted() {
        let store = Store()
        var clients = (0..<20).map { _ in Conversation(store) }
        #expect(store.statistics.openSessions == 20)
        for client in clients { client.type("PING") }
        clients.removeLast(15)
        #expect(store.statistics.openSessions == 5)
        #expect(store.statistics.sessions == 20)
        #expect(store.statistics.commands == 20)
    }

    @Test("random bytes and broken commands never do harm", arguments: 0..<20 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let store = makeStore {
            $0.maxMemoryBytes = 200_000
            $0.maxBulkBytes = 5000
            $0.maxCommandBytes = 20_000
            $0.maxReplyBytes = 20_000
            $0.replyHighWaterBytes = 3000
        }
        let words =
            CommandName.allCases.filter { $0 != .quit }.map(\.text) + [
                "a", "b", "c", "", "0", "1", "-1", "9223372036854775807", "EX", "PX", "NX", "GET",
                "2",
                "KEEPTTL", "DOCS", "INFO", "SETNAME", String(repeating: "v", count: 3000), "*",
                "save",
            ]
        for _ in 0..<60 {
            let client = Conversation(store)
            for _ in 0..<40 {
                var bytes = encoded(
                    (0..<Int.random(in: 1...6, using: &random)).map { _ in
                        words.randomElement(using: &random)!
                    })
                for _ in 0..<[0, 0, 0, 1, 5].randomElement(using: &random)! {
                    bytes[Int.random(in: bytes.indices, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                let reply = client.send(bytes)
                #expect(reply.isEmpty || "+-:$*".contains(reply.first!))
                while client.outcome == .pause { _ = client.resume() }
            }
        }
        let client = Conversation(store)
        #expect(client.call("FLUSHALL") == "+OK\r\n")
        #expect(client.call("SET", "a", "b") == "+OK\r\n")
        #expect(store.keyCount == 1)
        #expect(store.statistics.usedMemoryBytes < 20_000)
    }
}
