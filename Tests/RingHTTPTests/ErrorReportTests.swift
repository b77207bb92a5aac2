#if FlyingFox
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import LinuxPlatform
import RingHTTP
import TestSupport
import Testing

@Suite("Errors of a closure that answers requests", .watchdog)
struct ErrorReportTests {
    private struct DiskIsFull: Error, CustomStringConvertible {
        var description: String { "the disk\nis full" }
    }

    /// Passes a client of a server that answers with the closure, and the reports of errors.
    private func serve(
        limit: Duration = .seconds(600), _ respond: @escaping Respond,
        _ body: (TestClient, Watched<[String]>) async throws -> Void
    ) async throws {
        let reports = Watched<[String]>([])
        let handler = BodyReadingHTTPHandler(
            limit: limit,
            onError: { request, error in
                reports.append("\(request.method.rawValue) \(request.path) \(type(of: error))")
            }, respond)
        try await withServer(handler) { try await body($0, reports) }
    }

    private typealias Respond =
        @Sendable (HTTPRequest, HTTPRequestBody) async throws -> HTTPResponse

    @Test("Each one is reported, with its request, before the answer")
    func reports() async throws {
        try await serve { _, _ in
            throw DiskIsFull()
        } _: { client, reports in
            #expect(try await client.get("/one?password=1") == (500, ""))
            #expect(reports.value == ["GET /one DiskIsFull"])
            try await client.send("/two", body: Data("two".utf8))
            #expect(try await client.receive().status == 500)
            try await client.socket.write(Data("HEAD /three HTTP/1.1\r\n\r\n".utf8))
            #expect(try await client.receive(hasBody: false).status == 500)
            let expected = ["/one", "/two", "/three"]
            #expect(reports.value.map { $0.split(separator: " ")[1] } == expected.map { $0[...] })
            #expect(reports.value.last == "HEAD /three DiskIsFull")
        }
    }

    @Test(
        "A body that ends early or is malformed is the client's error: 400",
        arguments: [
            "Content-Length: 8192\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n5\r\nx",
            "Transfer-Encoding: chunked\r\n\r\nwrong\r\n",
        ])
    func incompleteBody(rest: String) async throws {
        try await serve { _, body in
            while try await body.next() != nil {}
            return HTTPResponse(statusCode: .ok)
        } _: { client, reports in
            try await client.socket.write(Data("POST / HTTP/1.1\r\n\(rest)".utf8))
            shutdown(client.socket.socket.file.rawValue, Int32(SHUT_WR))
            #expect(try await client.receive().status == 400)
            #expect(reports.value.isEmpty)
        }
    }

    @Test("An error after such a body is reported if it is another one")
    func errorAfterBody() async throws {
        try await serve { _, body in
            do { while try await body.next() != nil {} } catch { throw DiskIsFull() }
            return HTTPResponse(statusCode: .ok)
        } _: { client, reports in
            let rest = "Transfer-Encoding: chunked\r\n\r\nwrong\r\n"
            try await client.socket.write(Data("POST / HTTP/1.1\r\n\(rest)".utf8))
            #expect(try await client.receive().status == 500)
            #expect(reports.value == ["POST / DiskIsFull"])
        }
    }

    @Test("A request that no route matches, and one that is late, are not reported")
    func otherAnswers() async throws {
        try await serve(limit: .milliseconds(20)) { request, _ in
            if request.path == "/none" { throw HTTPUnhandledError() }
            while !Task.isCancelled { await Task.yield() }
            throw DiskIsFull()
        } _: { client, reports in
            #expect(try await client.get("/none").status == 404)
            try await client.send("/late", body: Data("late".utf8))
            #expect(try await client.receive().status == 408)
            #expect(reports.value.isEmpty)
        }
    }

    @Test("Without an own report, a line of the log names the request and the error")
    func logLine() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            try await ErrorReportTests.checkLogLine()
        }
    }

    private static func checkLogLine() async throws {
        let lines = Watched<[String]>([])
        Diagnostics.setReceiver { if $0 == .warning { lines.append($1) } }
        try await withServer(BodyReadingHTTPHandler { _, _ in throw DiskIsFull() }) { client in
            let answer = try await client.get("/one?password=1")
            #expect(answer == (500, ""))
        }
        let expected = "GET /one was answered with status 500: the disk\\u{a}is full"
        #expect(lines.value == [expected])
    }
}
#endif
