import Testing

@testable import KeyValueServer

/// Requests and the replies that clients of this protocol know.
@Suite("Commands", .watchdog)
struct CommandTests {
    /// Lines as they are typed, and the replies' lines, joined by a vertical bar.
    private func check(
        _ steps: [(request: String, reply: String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let client = Conversation(ManualClock().makeDatabase())
        for (request, reply) in steps {
            let answer = client.type(request)
            #expect(
                answer == reply.replacing("|", with: "\r\n") + "\r\n",
                "\(request)", sourceLocation: sourceLocation)
        }
    }

    private static let notAnInteger = "-ERR value is not an integer or out of range"
    private static let invalidSet = "-ERR invalid expire time in 'set' command"

    @Test("GET and SET")
    func getAndSet() {
        check([
            ("GET a", "$-1"), ("SET a 1", "+OK"), ("GET a", "$1|1"), ("SET a 22", "+OK"),
            ("get a", "$2|22"), ("Get a", "$2|22"), ("GET A", "$-1"),
            ("GET", "-ERR wrong number of arguments for 'get' command"),
            ("GET a b", "-ERR wrong number of arguments for 'get' command"),
            ("SET a", "-ERR wrong number of arguments for 'set' command"),
            ("SET a 1 2", "-ERR syntax error"),
        ])
    }

    @Test("the options of SET")
    func setOptions() {
        check([
            ("SET a 1 XX", "$-1"), ("SET a 1 NX", "+OK"), ("SET a 2 NX", "$-1"),
            ("SET a 3 xx", "+OK"), ("SET a 4 GET", "$1|3"), ("SET b 1 GET", "$-1"),
            ("SET b 2 NX GET", "$1|1"), ("GET b", "$1|1"), ("SET c 1 NX GET", "$-1"),
            ("GET c", "$1|1"), ("SET d 1 XX GET", "$-1"), ("GET d", "$-1"),
            ("SET a 5 EX 10", "+OK"), ("TTL a", ":10"), ("SET a 6 KEEPTTL", "+OK"),
            ("TTL a", ":10"), ("SET a 7", "+OK"), ("TTL a", ":-1"), ("GET a", "$1|7"),
            ("SET a 8 PX 5000 GET", "$1|7"), ("TTL a", ":5"), ("SET a 9 NX EX 77", "$-1"),
            ("TTL a", ":5"), ("SET a 10 EX 20 XX", "+OK"), ("TTL a", ":20"),
        ])
        check([
            ("SET a 1 NX XX", "-ERR syntax error"), ("SET a 1 EX", "-ERR syntax error"),
            ("SET a 1 EX 1 PX 1", "-ERR syntax error"),
            ("SET a 1 EX 1 KEEPTTL", "-ERR syntax error"),
            ("SET a 1 KEEPTTL PX 1", "-ERR syntax error"), ("SET a 1 FOO", "-ERR syntax error"),
            ("SET a 1 EX x", Self.notAnInteger), ("SET a 1 EX 1.5", Self.notAnInteger),
            ("SET a 1 EX 0", Self.invalidSet), ("SET a 1 PX -1", Self.invalidSet),
            ("SET a 1 EX 9223372036854775807", Self.invalidSet),
            ("SET a 1 PX 9223372036854775807", Self.invalidSet), ("EXISTS a", ":0"),
        ])
    }

    @Test("integers")
    func integers() {
        check([
            ("INCR n", ":1"), ("INCR n", ":2"), ("DECR n", ":1"), ("DECR n", ":0"),
            ("DECR n", ":-1"), ("GET n", "$2|-1"), ("INCRBY n 100", ":99"), ("INCR n", ":100"),
            ("DECRBY n 50", ":50"), ("INCRBY n -51", ":-1"), ("DECR m", ":-1"),
            ("INCRBY k 9223372036854775807", ":9223372036854775807"),
            ("INCR k", "-ERR increment or decrement would overflow"),
            ("GET k", "$19|9223372036854775807"),
            ("INCRBY n x", Self.notAnInteger), ("INCRBY n 9223372036854775808", Self.notAnInteger),
            ("DECRBY n -9223372036854775808", "-ERR decrement would overflow"),
            ("SET s abc", "+OK"), ("INCR s", Self.notAnInteger), ("SET s 01", "+OK"),
            ("DECR s", Self.notAnInteger),
            (
                "INCRBY s",
                "-ERR wrong number of arguments for "
                    + "'incrby' command"
            ),
            ("SET t 9 EX 100", "+OK"), ("INCR t", ":10"), ("TTL t", ":100"),
            ("INCRBY t 9000000000000000000", ":9000000000000000010"), ("TTL t", ":100"),
        ])
    }

    @Test("values that grow")
    func growth() {
        check([
            ("APPEND a xy", ":2"), ("APPEND a z", ":3"), ("GET a", "$3|xyz"), ("STRLEN a", ":3"),
            ("STRLEN b", ":0"), ("TYPE a", "+string"), ("TYPE b", "+none"),
            ("APPEND a", "-ERR wrong number of arguments for 'append' command"),
        ])
        let client = Conversation(ManualClock().makeDatabase())
        client.type("SET a x EX 100")
        var expected = "x"
        for round in 0..<200 {
            let piece = "<\(round)>"
            expected += piece
            #expect(client.call("APPEND", "a", piece) == ":\(expected.utf8.count)\r\n")
        }
        #expect(client.type("GET a") == bulk(expected))
        #expect(client.type("TTL a") == ":100\r\n")
        #expect(client.type("SET a short") == "+OK\r\n")
        #expect(client.type("GET a") == bulk("short"))
        #expect(client.type("TTL a") == ":-1\r\n")
    }

    @Test("several keys")
    func severalKeys() {
        check([
            ("MSET a 1 b 2 c 3 a 4", "+OK"), ("MGET a b c d a", "*5|$1|4|$1|2|$1|3|$-1|$1|4"),
            ("EXISTS a b d a", ":3"), ("DEL a d a b", ":2"), ("MGET a b c", "*3|$-1|$-1|$1|3"),
            ("MSET a", "-ERR wrong number of arguments for 'mset' command"),
            ("MSET a 1 b", "-ERR wrong number of arguments for 'mset' command"),
            ("DEL", "-ERR wrong number of arguments for 'del' command"),
            ("SET c 1 EX 100", "+OK"), ("MSET c 2", "+OK"), ("TTL c", ":-1"), ("DBSIZE", ":1"),
            ("FLUSHALL", "+OK"), ("DBSIZE", ":0"), ("MSET a 1 b 2", "+OK"),
            ("FLUSHALL ASYNC", "+OK"), ("GET a", "$-1"), ("FLUSHALL X", "-ERR syntax error"),
        ])
    }

    @Test("expiry")
    func expiry() {
        check([
            ("TTL a", ":-2"), ("PTTL a", ":-2"), ("EXPIRE a 10", ":0"), ("SET a 1", "+OK"),
            ("TTL a", ":-1"), ("PTTL a", ":-1"), ("PERSIST a", ":0"), ("EXPIRE a 100", ":1"),
            ("TTL a", ":100"), ("PERSIST a", ":1"), ("TTL a", ":-1"), ("PERSIST b", ":0"),
            ("PEXPIRE a 60000", ":1"), ("TTL a", ":60"), ("EXPIRE a 0", ":1"), ("EXISTS a", ":0"),
            ("SET a 1", "+OK"), ("PEXPIRE a -5", ":1"), ("GET a", "$-1"),
            ("EXPIRE a x", Self.notAnInteger), ("EXPIRE a 5 FOO", "-ERR Unsupported option FOO"),
            (
                "EXPIRE a 9223372036854775807", "-ERR invalid expire time in 'expire' command"
            ),
            (
                "PEXPIRE a 9223372036854775807", "-ERR invalid expire time in 'pexpire' command"
            ),
        ])
    }

    @Test("the connection")
    func connection() {
        check([
            ("PING", "+PONG"), ("PING hi", "$2|hi"), ("ECHO hello", "$5|hello"),
            ("PING a b", "-ERR wrong number of arguments for 'ping' command"),
            ("CLIENT SETINFO LIB-NAME x", "+OK"), ("CLIENT SETNAME me", "+OK"),
            ("CLIENT ID", ":1"),
            ("CLIENT FOO", "-ERR unknown subcommand 'FOO'. Try CLIENT HELP."),
            ("HELLO 4", "-NOPROTO unsupported protocol version"),
            ("HELLO x", "-ERR Protocol version is not an integer or out of range"),
            ("HELLO 2 FOO", "-ERR Syntax error in HELLO option 'FOO'"),
            ("HELLO 2", "*14|" + Self.greeting.replacing("VERSION", with: "2")),
        ])
        #expect(Conversation().call("ECHO", "") == "$0\r\n\r\n")
    }

    private static let greeting =
        "$6|server|$5|redis|$7|version|$5|7.0.0|$5|proto|:VERSION|$2|id|:1|$4|mode|"
        + "$10|standalone|$4|role|$6|master|$7|modules|*0"

    @Test("RESP3 has its own null and maps")
    func resp3() {
        check([
            ("HELLO 3", "%7|" + Self.greeting.replacing("VERSION", with: "3")),
            ("GET a", "_"), ("SET a 1 XX", "_"), ("MGET a b", "*2|_|_"), ("SET a 1", "+OK"),
            ("GET a", "$1|1"), ("CONFIG GET save", "%1|$4|save|$0|"), ("COMMAND DOCS", "%0"),
            ("HELLO", "%7|" + Self.greeting.replacing("VERSION", with: "3")),
            ("HELLO 2", "*14|" + Self.greeting.replacing("VERSION", with: "2")),
            ("GET b", "$-1"),
        ])
    }

    @Test("what is unknown is named in the reply")
    func unknown() {
        check([
            ("FOO", "-ERR unknown command 'FOO', with args beginning with: "),
            ("foo a b", "-ERR unknown command 'foo', with args beginning with: 'a' 'b' "),
            ("MGETMGET a", "-ERR unknown command 'MGETMGET', with args beginning with: 'a' "),
            ("CONFIG SET a b", "-ERR unknown subcommand 'SET'. Try CONFIG HELP."),
            ("COMMAND FOO", "-ERR unknown subcommand 'FOO'. Try COMMAND HELP."),
        ])
        let client = Conversation(ManualClock().makeDatabase())
        let long = String(repeating: "x", count: 1000)
        let reply = client.call("a\r\nb", long, long)
        #expect(reply.hasPrefix("-ERR unknown command 'a  b', with args beginning with: 'xxx"))
        #expect(reply.hasSuffix("\r\n") && reply.utf8.count < 400)
        for name in ["", "\0", "gett", "ge", "g", "FLUSHALLX", "\u{7}et"] {
            #expect(client.call(name, "a").hasPrefix("-ERR unknown command"))
        }
    }

    @Test("every command is found in small and in capital letters, and checks its words")
    func names() {
        for (name, command) in Command.all where command.arity != -1 {
            let client = Conversation(ManualClock().makeDatabase())
            let wrong = command.arity == 1 || command.arity == 2 ? ["", "x", "x"] : []
            for text in [name, name.uppercased()] {
                #expect(
                    client.send(encoded([text] + wrong))
                        == "-ERR wrong number of arguments for '\(name)' command\r\n")
            }
        }
    }

    @Test("what clients ask for when they connect")
    func introspection() {
        check([
            ("CONFIG GET save", "*2|$4|save|$0|"),
            ("CONFIG GET appendonly", "*2|$10|appendonly|$2|no"),
            ("CONFIG GET nothing", "*0"), ("COMMAND COUNT", ":\(Command.all.count)"),
            ("COMMAND DOCS", "*0"),
        ])
        let list = Conversation().type("COMMAND")
        #expect(list.hasPrefix("*\(Command.all.count)\r\n*2\r\n"))
        #expect(list.contains("*2\r\n$4\r\nmset\r\n:-3\r\n"))
    }

    @Test("INFO counts what happened")
    func information() {
        let client = Conversation(Database(maxMemory: 5_000_000))
        let other = Conversation(client.database)
        client.type("MSET a 1 b 2")
        client.type("EXPIRE a 100")
        client.type("GET a")
        other.type("GET c")
        let all = client.type("INFO")
        // Each request of a conversation ends with an ECHO.
        for line in [
            "connected_clients:2", "total_connections_received:2", "total_commands_processed:9",
            "db0:keys=2,expires=1,avg_ttl=0", "# Server", "maxmemory:5000000", "expired_keys:0",
        ] { #expect(all.contains("\(line)\r\n"), "\(line)") }
    }
}
