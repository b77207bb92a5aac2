#if FlyingFox
import FlyingFox
import FlyingSocks
import Foundation
import RingHTTP
import TestSupport
import Testing

@Suite("A handler that reads bodies to their end", .watchdog)
struct BodyReadingTests {
    private struct Refusal: Error {}

    /// The answers: to `/length` the body's length, to `/first` nothing after its first piece, to
    /// `/none` nothing at all, to `/short` the length of a body that is not too long, to `/pieces`
    /// some pieces, to `/late` the same after the limit, and to `/error` an error.
    private static func respond(
        _ request: HTTPRequest, _ body: HTTPRequestBody
    ) async throws -> HTTPResponse {
        var count = 0
        switch request.path {
        case "/length": while let piece = try await body.next() { count += piece.count }
        case "/first": count = try await body.next()?.count ?? 0
        case "/short":
            guard let data = try await body.data(atMost: 100_000) else {
                return HTTPResponse(statusCode: .payloadTooLarge, body: Data("too long".utf8))
            }
            count = data.count
        case "/pieces", "/late":
            if request.path == "/late" {
                while try await body.next() != nil {}
                withUnsafeCurrentTask { $0?.cancel() }
            }
            let (pieces, output) = AsyncStream.makeStream(of: Data.self)
            for piece in ["one", "", "two"] { output.yield(Data(piece.utf8)) }
            output.finish()
            return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(pieces: pieces))
        case "/error": throw Refusal()
        case "/stream":
            return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: Nothing()))
        default: break
        }
        return HTTPResponse(statusCode: .ok, body: Data("\(request.method.rawValue) \(count)".utf8))
    }

    /// A body without a length.
    private struct Nothing: AsyncBufferedSequence {
        typealias Element = UInt8
        struct AsyncIterator: AsyncBufferedIteratorProtocol {
            mutating func next() async throws -> UInt8? { nil }
            mutating func nextBuffer(suggested count: Int) async throws -> Data? { nil }
        }
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    /// Serves, and passes a client.
    private func serve(
        limit: Duration = .seconds(600), _ body: (TestClient) async throws -> Void
    ) async throws {
        try await withServer(
            BodyReadingHTTPHandler(limit: limit, BodyReadingTests.respond), body)
    }

    private static let smuggled = "DELETE /length HTTP/1.1\r\nHost: test\r\n\r\n"

    @Test(
        "The rest of a body is not taken for a request",
        arguments: ["/length", "/first", "/none", "/error"])
    func rest(path: String) async throws {
        try await serve { client in
            let pieces = ["x", Self.smuggled].map {
                "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n"
            }
            let head = "POST \(path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
            let text = head + pieces.joined() + "0\r\n\r\n"
            for _ in 0..<2 {
                try await client.socket.write(Data(text.utf8))
                let answer = try await client.receive()
                #expect(answer.status == (path == "/error" ? 500 : 200))
                #expect(!answer.body.contains("DELETE"))
            }
            #expect(try await client.get("/length") == (200, "GET 0"))
        }
    }

    @Test(
        "A body of which too much is left ends the connection once it is sent",
        arguments: [2 << 20, 3 << 20, 64 << 20])
    func tooLong(count: Int) async throws {
        try await serve { client in
            try await client.send("/none", body: Data(count: count))
            #expect(try await client.receive() == (200, "POST 0"))
            if count <= 2 << 20 {
                #expect(try await client.get("/length") == (200, "GET 0"))
            } else {
                await #expect(throws: (any Error).self) { try await client.socket.read() }
            }
        }
    }

    @Test("An answer without a length does not keep the connection, either")
    func stream() async throws {
        try await serve { client in
            try await client.send("/stream", body: Data(count: 3 << 20))
            #expect(try await client.receive().status == 400)
            await #expect(throws: (any Error).self) { try await client.socket.read() }
        }
    }

    @Test(
        "A body that is late is answered with 408, and ends the connection",
        arguments: [
            "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", "Content-Length: 8192\r\n\r\nx",
        ])
    func late(rest: String) async throws {
        try await serve(limit: .milliseconds(20)) { client in
            let head = "POST /length HTTP/1.1\r\nHost: test\r\n"
            try await client.socket.write(Data((head + rest).utf8))
            #expect(try await client.receive().status == 408)
            await #expect(throws: (any Error).self) { try await client.socket.read() }
        }
    }

    @Test("A body as one piece is complete, or nil if it is too long", arguments: [0, 1])
    func onePiece(more: Int) async throws {
        try await serve { client in
            try await client.send("/short", body: Data(count: 100_000 + more))
            let expected = more == 0 ? (200, "POST 100000") : (413, "too long")
            #expect(try await client.receive() == expected)
            #expect(try await client.get("/length") == (200, "GET 0"))
        }
    }

    @Test(
        "The pieces of an answer arrive one by one, also late; an empty one does not end it",
        arguments: [
            "GET /pieces HTTP/1.1\r\n\r\n",
            "POST /late HTTP/1.1\r\nContent-Length: 8192\r\n\r\n"
                + String(repeating: "x", count: 8192),
            "POST /late HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        ])
    func pieces(request: String) async throws {
        try await serve { client in
            try await client.socket.write(Data(request.utf8))
            var answer = ""
            while !answer.hasSuffix("0\r\n\r\n") {
                answer += String(decoding: [try await client.socket.read()], as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            // FlyingFox writes lengths with two digits.
            let lines = answer.components(separatedBy: "\r\n").suffix(7)
            #expect(lines == ["03", "one", "03", "two", "0", "", ""])
            #expect(try await client.get("/length") == (200, "GET 0"))
        }
    }

    @Test("HEAD is answered as GET, without the body")
    func head() async throws {
        try await serve { client in
            try await client.socket.write(Data("HEAD /length HTTP/1.1\r\nHost: test\r\n\r\n".utf8))
            var head = ""
            while !head.hasSuffix("\r\n\r\n") {
                head += String(decoding: [try await client.socket.read()], as: UTF8.self)
            }
            #expect(head.lowercased().contains("content-length: 5\r\n"))
            #expect(try await client.get("/length") == (200, "GET 0"))
        }
    }
}
#endif
