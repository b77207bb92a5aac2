import RingNetwork
import Testing

@Suite("The text forms of endpoints")
struct EndpointTextTests {
    @Test(
        "endpoints print as they were read",
        arguments: [
            "127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::]:1", "[::1]:80",
            "[2001:db8::1]:443", "[fe80::1%eth0]:80", "[fe80::1%2]:80", "[::ffff:1.2.3.4]:80",
            "[ff02::1%br-3f.100@x]:5353", "localhost:80", "example.org:80", "example.org.:80",
            "a:1", "_dns._udp.example.org:53", "xn--bcher-kva.example:80", "1a:80", "a1:80",
            "3com.com:80", "0xg:80", "unix.:80", "unix-host:80", "tcp:80", "unix:/run/app.sock",
            "unix:app.sock", "unix:../a", "unix:@name", "unix:@/x", "unix:@@", "unix:80",
            "unix:%40name", "unix:/a%20b%25%3F%23%0A", "unix:@%00%FF", "unix:////x", "unix:/a//b",
            "unix:/a:1",
        ])
    func unchanged(text: String) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.description == text)
        #expect(try Endpoint(endpoint.description) == endpoint)
    }

    @Test(
        "other spellings are read, and printed as the usual one",
        arguments: [
            ("EXAMPLE.Org:80", "example.org:80"), ("[2001:DB8:0:0::1]:80", "[2001:db8::1]:80"),
            ("unix:///run/app.sock", "unix:/run/app.sock"), ("UNIX:@x", "unix:@x"),
            ("unix:/%72un", "unix:/run"), ("unix:/bücher", "unix:/b%C3%BCcher"),
        ])
    func normalised(text: String, printed: String) throws {
        #expect(try Endpoint(text).description == printed)
        #expect(try Endpoint(printed) == Endpoint(text))
    }

    @Test("each form has its case")
    func cases() throws {
        #expect(try Endpoint("127.0.0.1:80") == .ipv4(.loopback, port: 80))
        #expect(try Endpoint("[::1]:80") == .ipv6(.loopback, port: 80))
        let zone = try InterfaceZone("eth0")
        #expect(try Endpoint("[::1%eth0]:80") == .ipv6(.loopback, port: 80, zone: zone))
        #expect(try Endpoint("a.b:80") == .host(HostName("a.b"), port: 80))
        #expect(try Endpoint("unix:/a") == .unix(UnixAddress(path: "/a")))
        #expect(try Endpoint("unix:@a") == .unix(UnixAddress(abstractName: "a")))
        #expect(try Endpoint("unix://///a") == .unix(UnixAddress(path: "///a")))
    }

    @Test(
        "an error has the reason",
        arguments: [
            ("", EndpointError.Reason.missingPort), ("host", .missingPort), ("host:", .missingPort),
            ("[::1]", .missingPort), ("[::1]:", .missingPort), (":80", .emptyHost),
            (":", .missingPort), ("1.2.3:80", .invalidIPv4Address),
            ("01.2.3.4:80", .invalidIPv4Address), ("1.2.3.4.5:80", .invalidIPv4Address),
            ("256.1.1.1:80", .invalidIPv4Address), ("1.2.3.4.:80", .invalidIPv4Address),
            ("2130706433:80", .invalidIPv4Address), ("0x7f000001:80", .invalidIPv4Address),
            ("0x:80", .invalidIPv4Address), ("a.0x1F:80", .invalidIPv4Address),
            ("foo.1:80", .invalidIPv4Address), ("0177.0.0.1:80", .invalidIPv4Address),
            ("[1.2.3.4]:80", .invalidIPv6Address), ("[]:80", .invalidIPv6Address),
            ("[host]:80", .invalidIPv6Address), ("[::1%]:80", .invalidZone),
            ("[fe80::1%0]:80", .invalidZone), ("[fe80::1%01]:80", .invalidZone),
            ("[fe80::1%a b]:80", .invalidZone), ("[fe80::1%..]:80", .invalidZone),
            ("[fe80::1%4294967296]:80", .invalidZone), ("[fe80::1%a%b]:80", .invalidZone),
            ("[fe80::1%sixteen-letters-]:80", .invalidZone), ("[::1", .unclosedBracket),
            ("[::1:80", .unclosedBracket), ("::1:80", .missingBrackets),
            ("host:80:90", .missingBrackets), ("[::1]80", .strayCharacters),
            ("[::1]]:80", .strayCharacters), ("host:80/", .strayCharacters),
            ("host:80 ", .strayCharacters), ("host:8o", .strayCharacters),
            ("host:http", .invalidPort), ("host:-1", .invalidPort), ("host:+80", .invalidPort),
            ("host:080", .invalidPort), ("host:00", .invalidPort), ("host: 80", .invalidPort),
            ("host:65536", .portOutOfRange), ("host:99999999999999999999", .portOutOfRange),
            ("user@host:80", .invalidHostName), ("ho st:80", .invalidHostName),
            ("-a:80", .invalidHostName), ("a-:80", .invalidHostName), ("a..b:80", .invalidHostName),
            (".a:80", .invalidHostName), (".:80", .invalidHostName),
            ("bücher.de:80", .invalidHostName),
            ("*:80", .invalidHostName), ("a/b:80", .invalidHostName),
            ("tcp://host:80", .unexpectedScheme), ("http://host", .unexpectedScheme),
            ("unix:", .emptyUnixName), ("unix://", .emptyUnixName), ("unix:@", .emptyUnixName),
            ("unix://host/path", .strayCharacters), ("unix://@name", .strayCharacters),
            ("unix:/a b", .strayCharacters), ("unix:/a?b", .strayCharacters),
            ("unix:/a#b", .strayCharacters), ("unix:/a%", .invalidPercentEncoding),
            ("unix:/a%2", .invalidPercentEncoding), ("unix:/a%2g", .invalidPercentEncoding),
            ("unix:/a%00b", .unixPathHasNUL),
        ])
    func errors(text: String, reason: EndpointError.Reason) {
        let error = #expect(throws: EndpointError.self) { try Endpoint(text) }
        #expect(error?.reason == reason, "\(error?.description ?? "")")
        // Cause and remedy.
        #expect(error?.description.contains("; ") == true)
    }

    @Test("host and port apart: IPv6 addresses have no brackets")
    func hostAndPort() throws {
        #expect(try Endpoint(host: "::1", port: 80) == .ipv6(.loopback, port: 80))
        #expect(try Endpoint(host: "fe80::1%3", port: 1) == Endpoint("[fe80::1%3]:1"))
        #expect(try Endpoint(host: "127.0.0.1", port: 80) == .ipv4(.loopback, port: 80))
        #expect(try Endpoint(host: "a.b", port: 80) == Endpoint("a.b:80"))
        for host in ["", "[::1]", "1.2.3", "a:b", "unix", "unix:/a"] {
            #expect(throws: EndpointError.self) { try Endpoint(host: host, port: 80) }
        }
    }

    @Test("parts of an endpoint")
    func parts() throws {
        let unix = try Endpoint("unix:/a")
        #expect(try Endpoint("a:80").port == 80 && unix.port == nil)
        #expect(try Endpoint("a:80").ipAddress == nil && unix.ipAddress == nil)
        #expect(try Endpoint("1.2.3.4:80").ipAddress == .v4(IPv4Address(1, 2, 3, 4)))
        #expect(try Endpoint("[fe80::1%a]:80").withPort(90).description == "[fe80::1%a]:90")
        #expect(unix.withPort(90) == unix)
        #expect(Endpoint(.v6(.loopback), port: 7) == .ipv6(.loopback, port: 7))
    }

    @Test("names have at most 253 bytes, labels 63")
    func longNames() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try HostName(label).name == label)
        #expect(throws: EndpointError.self) { try HostName(label + "a") }
        let longest = [label, label, label, String(label.dropLast(2))].joined(separator: ".")
        #expect(try HostName(longest).name.utf8.count == 253)
        #expect(try HostName(longest + ".").name.utf8.count == 254)
        #expect(throws: EndpointError.self) { try HostName(longest + "a") }
    }

    @Test("localhost is recognised in all its forms")
    func localhost() throws {
        for name in ["localhost", "LocalHost.", "a.localhost", "a.b.localhost."] {
            #expect(try HostName(name).isLocalhost, "\(name)")
        }
        for name in ["localhost.example", "notlocalhost", "a"] {
            #expect(try !HostName(name).isLocalhost, "\(name)")
        }
    }

    @Test("an error shows the text without control characters, and not all of a long one")
    func errorText() {
        let error = #expect(throws: EndpointError.self) {
            try Endpoint("a\u{1b}[31m\n" + String(repeating: "b", count: 10_000) + ":80")
        }
        let text = error?.description ?? ""
        #expect(text.contains("a\\u{1b}[31m\\u{a}b") && text.utf8.count < 400)
        #expect(text.allSatisfy { !$0.isNewline && $0 != "\u{1b}" })
    }

    @Test(
        "random texts never trap, and accepted ones survive printing and reading",
        arguments: 1...4)
    func randomTexts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "unix:", "//", "/", "@", "%", "%41", "[", "]", ":", "::", "1", "80", ".", "1.2.3.4",
            "a", "eth0", "tcp://", "udp://", "-", "\0", " ", "é", "f", "localhost", "65536", "x",
        ]
        var accepted = 0
        for _ in 0..<(isDeep ? 10_000 : 3000) {
            var text = ""
            for _ in 0..<Int.random(in: 0...7, using: &generator) {
                text += pieces.randomElement(using: &generator)!
            }
            if let endpoint = try? Endpoint(text) {
                accepted += 1
                if try Endpoint(endpoint.description) != endpoint { Issue.record("'\(text)'") }
            }
        }
        #expect(accepted > 25)
    }
}
