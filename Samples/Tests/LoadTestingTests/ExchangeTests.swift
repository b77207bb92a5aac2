import RingNetwork
import Testing

@testable import LoadTesting

/// The messages of each protocol, and answers in pieces of every size.
@Suite("Exchanges", .watchdog)
struct ExchangeTests {
    /// Feeds an answer in pieces; returns the first finding.
    static func feed(_ bytes: [UInt8], to exchange: Exchange, piece: Int) -> Finding? {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = Array(bytes[start..<min(bytes.count, start + piece)])
            if let finding = part.withUnsafeBytes({ exchange.check($0) }) { return finding }
        }
        return nil
    }

    static func payload(_ size: String) throws -> Payload {
        Payload(sizes: try MessageSizes(size), seed: 3)
    }

    @Test(
        "an echo is right in whatever pieces it comes", arguments: ["1", "7", "8", "64", "1..300"])
    func echo(size: String) throws {
        for piece in [1, 3, 64, 1000] {
            let exchange = EchoExchange(payload: try Self.payload(size), seed: 99)
            let buffer = MessageBuffer()
            for _ in 0..<20 { exchange.write(into: buffer) }
            #expect(Self.feed(Array(buffer.bytes), to: exchange, piece: piece) == nil)
            #expect(exchange.answeredCount == 20 && exchange.partialBytes == 0)
        }
    }

    @Test("each changed byte of an echo is found")
    func changedByte() throws {
        let payload = try Self.payload("100")
        for place in 0..<300 {
            let exchange = EchoExchange(payload: payload, seed: 5)
            let buffer = MessageBuffer()
            for _ in 0..<3 { exchange.write(into: buffer) }
            var bytes = Array(buffer.bytes)
            bytes[place] ^= 0x10
            #expect(Self.feed(bytes, to: exchange, piece: 40) != nil, "byte \(place)")
        }
    }

    static func http(_ body: HTTPPlan.Body = .any) throws -> HTTPExchange {
        var plan = HTTPPlan()
        plan.method = body == .echo ? .post : .get
        plan.body = body
        let exchange = HTTPExchange(
            plan, target: try LoadTarget("http://127.0.0.1:80/x"), payload: try payload("20"),
            seed: 1)
        for _ in 0..<3 { exchange.write(into: MessageBuffer()) }
        return exchange
    }

    @Test("a given header field takes the place of the usual one")
    func givenHeader() throws {
        var plan = HTTPPlan()
        plan.headers = ["host: example.org"]
        let exchange = HTTPExchange(
            plan, target: try LoadTarget("http://127.0.0.1:80/x"), payload: try Self.payload("20"),
            seed: 1)
        let buffer = MessageBuffer()
        exchange.write(into: buffer)
        #expect(
            String(decoding: buffer.bytes, as: UTF8.self)
                == "GET /x HTTP/1.1\r\nUser-Agent: ringload\r\nhost: example.org\r\n\r\n")
    }

    static let goodResponses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\n",
    ]

    @Test("responses are parsed in pieces of any size", arguments: goodResponses)
    func responses(response: String) throws {
        for piece in 1...response.utf8.count {
            let exchange = try Self.http()
            let twice = Array((response + response).utf8)
            let finding = Self.feed(twice, to: exchange, piece: piece)
            #expect(finding == nil, "\(finding?.detail ?? "")")
            #expect(exchange.answeredCount == 2 && exchange.partialBytes == 0, "piece \(piece)")
        }
    }

    @Test("a head that repeats the last one, or only begins like it, is recognized")
    func repeatedHeads() throws {
        let answers = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nworld",
            "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n" + String(repeating: "x", count: 50),
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain",
        ]
        for piece in [1, 43, 44, 1000] {
            let exchange = try Self.http()
            for _ in 3..<answers.count { exchange.write(into: MessageBuffer()) }
            for answer in answers {
                let finding = Self.feed(Array(answer.utf8), to: exchange, piece: piece)
                #expect(finding == nil, "\(finding?.detail ?? "")")
            }
            #expect(exchange.answeredCount == 5 && exchange.partialBytes == 0)
        }
    }

    @Test("a repeated head with a wrong body is found")
    func repeatedHeadWithWrongBody() throws {
        let exchange = try Self.http(.echo)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"
        let buffer = MessageBuffer()
        let payload = try Self.payload("20")
        payload.write(0, seed: 1, into: buffer)
        let right = Array(head.utf8) + Array(buffer.bytes)
        #expect(Self.feed(right, to: exchange, piece: 1000) == nil)
        #expect(Self.feed(right, to: exchange, piece: 1000)?.kind == .mismatch)
    }

    @Test("a body without a length ends with the connection")
    func bodyUntilEnd() throws {
        let exchange = try Self.http()
        let response = Array("HTTP/1.1 200 OK\r\n\r\nall there is".utf8)
        #expect(Self.feed(response, to: exchange, piece: 4) == nil)
        #expect(exchange.answeredCount == 0)
        #expect(exchange.findingAtEnd() == nil)
        #expect(exchange.answeredCount == 1 && exchange.isOver)
    }

    static let badResponses: [(String, ErrorCounts.Kind)] = [
        ("SSH-2.0-x\r\n", .mismatch), ("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", .status),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .mismatch),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .mismatch),
    ]

    @Test("an error response, or a malformed one, is reported", arguments: badResponses)
    func badResponse(response: (String, ErrorCounts.Kind)) throws {
        let finding = Self.feed(Array(response.0.utf8), to: try Self.http(), piece: 3)
        #expect(finding?.kind == response.1)
    }

    @Test("a finding quotes little of a server, and no control characters")
    func quotation() throws {
        let exchange = RESPExchange(try RESPPlan("ping"), payload: try Self.payload("1"), seed: 1)
        exchange.write(into: MessageBuffer())
        let line = "-\u{1b}[2J\u{7}\u{9b}" + String(repeating: "x", count: 10_000) + "\r\n"
        let detail = try #require(Self.feed(Array(line.utf8), to: exchange, piece: 500)).detail
        #expect(detail.contains(#": -\u{1B}[2J\u{07}\u{009B}xxx"#))
        #expect(detail.utf8.count < 300)
        let finding = Self.feed(
            Array("\u{1b}c\r\n".utf8), to: try Self.http(), piece: 100)
        #expect(finding?.detail.hasSuffix(#"its first line is '\u{1B}c'"#) == true)
    }

    @Test("with --http-body echo, the posted body has to be returned")
    func postedBody() throws {
        let payload = try Self.payload("20")
        let body = MessageBuffer()
        payload.write(0, seed: 1, into: body)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n".utf8)
        let right = try Self.http(.echo)
        #expect(Self.feed(head + Array(body.bytes), to: right, piece: 7) == nil)
        #expect(right.answeredCount == 1)
        var wrong = Array(body.bytes)
        wrong[13] ^= 1
        #expect(Self.feed(head + wrong, to: try Self.http(.echo), piece: 7)?.kind == .mismatch)
    }

    @Test("each line is answered with one line, of any text, in pieces of any size")
    func lines() throws {
        func exchange() -> LineExchange {
            let exchange = LineExchange("hi")
            let buffer = MessageBuffer()
            for _ in 0..<3 { exchange.write(into: buffer) }
            #expect(Array(buffer.bytes) == Array("hi\nhi\nhi\n".utf8))
            return exchange
        }
        let answers = Array("you said: hi\n\nsomething else\n".utf8)
        for piece in 1...answers.count {
            let exchange = exchange()
            #expect(Self.feed(answers, to: exchange, piece: piece) == nil)
            #expect(exchange.answeredCount == 3 && exchange.findingAtEnd() == nil)
        }
        let surplus = answers + Array("x".utf8)
        #expect(Self.feed(surplus, to: exchange(), piece: 5)?.kind == .mismatch)
        let cut = exchange()
        #expect(Self.feed(Array(answers.dropLast()), to: cut, piece: 5) == nil)
        #expect(cut.answeredCount == 2 && cut.findingAtEnd()?.kind == .truncation)
    }

    @Test("replies of Redis's protocol are checked, values included")
    func resp() throws {
        let payload = try Self.payload("30")
        func exchange(_ commands: String) throws -> RESPExchange {
            let exchange = RESPExchange(try RESPPlan(commands), payload: payload, seed: 1)
            for _ in 0..<3 { exchange.write(into: MessageBuffer()) }
            return exchange
        }
        let ping = try exchange("ping")
        #expect(Self.feed(Array("+PONG\r\n+PONG\r\n".utf8), to: ping, piece: 3) == nil)
        #expect(ping.answeredCount == 2)
        let get = try exchange("get")
        let value = MessageBuffer()
        let (_, key) = RESPPlan().choice(1)
        payload.write(key, seed: RESPPlan.valueSeed, into: value)
        let reply = Array("$30\r\n".utf8) + Array(value.bytes) + Array("\r\n$-1\r\n".utf8)
        #expect(Self.feed(reply, to: get, piece: 4) == nil)
        #expect(get.answeredCount == 2)
        for piece in [1, 4, 1000] {
            let wrongEnd = Array("$30\r\n".utf8) + Array(value.bytes) + Array("\rx".utf8)
            let finding = Self.feed(wrongEnd, to: try exchange("get"), piece: piece)
            #expect(finding?.kind == .mismatch)
        }
        let refusal = Array("-ERR no\r\n".utf8)
        #expect(Self.feed(refusal, to: try exchange("set"), piece: 9)?.kind == .status)
        #expect(
            Self.feed(Array("+OK\r\n".utf8), to: try exchange("ping"), piece: 9)?.kind == .mismatch)
    }
}
