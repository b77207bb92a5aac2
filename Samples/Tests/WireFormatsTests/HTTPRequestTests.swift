import Testing
import WireFormats

/// Which bytes are a request, by RFC 9112.
@Suite("HTTP requests", .watchdog)
struct HTTPRequestTests {
    private func parse(_ text: String) -> HTTPRequest? { HTTPRequest(head: Array(text.utf8)) }

    @Test("A request has a method, a target and fields without surrounding spaces")
    func parts() throws {
        let request = try #require(
            parse("GET /a?b=%20&c HTTP/1.1\r\nhOST:\t[::1]:80 \r\nX-A: b  c\t\r\nEmpty:"))
        #expect(request.method == "GET")
        #expect(request.target == "/a?b=%20&c")
        #expect(request.path == "/a" && request.query == "b=%20&c")
        #expect(request.host == "::1")
        #expect(request.head.text("x-a") == "b  c")
        #expect(request.head.text("empty")?.isEmpty == true)
        #expect(request.head.text("other") == nil)
        #expect(request.keepsAlive)
    }

    @Test(
        "Only CRLF ends a line",
        arguments: [
            "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\r", "\n", "\r\r\n", "\n\r",
        ])
    func lineEnds(end: String) {
        let text = "GET / HTTP/1.1\r\nHost: evil.example\r\nX-A: a\(end)Host: localhost"
        let host = parse(text)?.host
        #expect(host == nil || host == "evil.example")
    }

    @Test(
        "A host is given exactly once, and is a name or an address with a port",
        arguments: [
            "", "Host: a\r\nHost: a", "Host: a\r\nhost: b", "Host : a", " Host: a", "Host: a b",
            "Host: a, b", "Host: u@a", "Host: a:b", "Host: a:1:2", "Host: [::1", "Host: [::1]x",
            "Host: []", "Host: [a.example]", "Host: a/b", "Host: a%2", "Host: \u{e4}",
        ])
    func badHost(fields: String) {
        let lines = ["GET / HTTP/1.1", fields, "X: y"].filter { !$0.isEmpty }
        #expect(parse(lines.joined(separator: "\r\n")) == nil)
    }

    @Test(
        "Hosts in their valid forms",
        arguments: [
            ("", ""), ("LocalHost:80", "localhost"), ("a.example:", "a.example"),
            ("[fE80::1]", "fe80::1"), ("10.0.0.1:8", "10.0.0.1"), ("a%41", "a%41"),
        ])
    func goodHost(value: String, name: String) {
        #expect(parse("GET / HTTP/1.1\r\nHost: \(value)")?.host == name)
    }

    @Test("HTTP/1.0 needs no host, but has at most one")
    func oldVersion() throws {
        let old = try #require(parse("GET / HTTP/1.0"))
        #expect(old.host == nil && !old.keepsAlive)
        #expect(parse("GET / HTTP/1.0\r\nHost: a")?.host == "a")
        #expect(parse("GET / HTTP/1.0\r\nHost: a\r\nHost: a") == nil)
    }

    @Test(
        "Lengths that are invalid or ambiguous are refused",
        arguments: [
            "Content-Length: +1", "Content-Length: 1\r\nContent-Length: 1", "Content-Length:",
            "Content-Length: 1, 1", "Content-Length: 18446744073709551617",
            "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 1",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ])
    func lengths(fields: String) {
        #expect(parse("GET / HTTP/1.1\r\nHost: a\r\n\(fields)") == nil)
    }

    @Test("The connection ends after a request with a body, and when the client wishes it")
    func keepingAlive() {
        for (fields, keepsAlive) in [
            ("Content-Length: 0", true), ("Content-Length: 1", false),
            ("Transfer-Encoding: Chunked", false), ("Connection: Close", false),
            ("Connection: a, close", false), ("Connection: closer", true),
            ("Connection: close\r\nConnection: keep-alive", false),
            ("Connection: a\r\nConnection: b", true),
        ] {
            let request = parse("GET / HTTP/1.1\r\nHost: a\r\n\(fields)")
            #expect(request?.keepsAlive == keepsAlive, "\(fields)")
        }
        for (fields, keepsAlive) in [
            ("Connection: Keep-Alive\r\nConnection: a", true), ("Connection: a", false),
            ("Connection: keep-alive, close", false),
        ] {
            #expect(parse("GET / HTTP/1.0\r\n\(fields)")?.keepsAlive == keepsAlive, "\(fields)")
        }
    }

    @Test(
        "An absolute target has its own host, and a path even if it is empty",
        arguments: [
            ("http://a.example:80/b?c", "a.example", "/b", "c"), ("HTTP://[::1]", "::1", "/", ""),
            ("http://A/http://b/", "a", "/http://b/", ""), ("http://a?b/c", "a", "/", "b/c"),
        ])
    func absoluteTargets(target: String, host: String, path: String, query: String) throws {
        let request = try #require(parse("GET \(target) HTTP/1.1\r\nHost: other.example"))
        #expect(request.host == host && request.path == path && request.query == query)
        #expect(parse("GET \(target) HTTP/1.0")?.host == host)
        // Even so, a Host field is required, and only one.
        #expect(parse("GET \(target) HTTP/1.1") == nil)
        #expect(parse("GET \(target) HTTP/1.1\r\nHost: a\r\nHost: a") == nil)
    }

    /// Most letters, digits, controls and bytes beyond ASCII have the meaning of their neighbours.
    private static let tried = (UInt8.min ... .max).filter { byte in
        let edges = Array("019AFGHZafghz\0\t\n\u{b}\u{c}\r\u{1f}\u{7f}".utf8) + [0x80, 0xe4, 0xff]
        let character = Character(Unicode.Scalar(byte))
        let isMark = 0x20...0x7e ~= byte && !character.isLetter && !character.isNumber
        return isDeep || isMark || edges.contains(byte)
    }

    @Test(
        "Each byte at each place is accepted exactly if the grammar has it there",
        arguments: [
            "GET /a?b HTTP/1.1\r\nHost: a.b:80", "A / HTTP/1.0\r\nX-A: b \u{e4}\r\nB:",
            "A / HTTP/1.0\r\nContent-Length: 0",
            "GET http://a:8/b HTTP/1.0", "GET http://[::1]?b HTTP/1.1\r\nHost:",
            "OPTIONS * HTTP/1.0",
        ])
    func everyByteEverywhere(text: String) {
        let valid = Array(text.utf8)
        #expect(HTTPRequest(head: valid) != nil && RequestGrammar.contains(valid))
        for place in valid.indices {
            for byte in Self.tried {
                var replaced = valid
                replaced[place] = byte
                var longer = valid
                longer.insert(byte, at: place)
                for bytes in [replaced, longer] {
                    let isAccepted = HTTPRequest(head: bytes) != nil
                    guard isAccepted != RequestGrammar.contains(bytes) else { continue }
                    Issue.record("\(isAccepted): \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }
}
