import RingNetwork
import Testing

@Suite("Endpoints with a transport")
struct TransportEndpointTests {
    @Test(
        "endpoints print as they were read",
        arguments: [
            "tcp://127.0.0.1:80", "tcp://[::1]:80", "udp://[ff02::fb%eth0]:5353",
            "tcp://example.org:0", "tcp://unix.:80", "udp://a:53", "unix:/run/app.sock", "unix:@a",
        ])
    func unchanged(text: String) throws {
        #expect(try TransportEndpoint(text).description == text)
    }

    @Test("the scheme names the transport, in letters of either case")
    func schemes() throws {
        let tcp = try TransportEndpoint("TCP://a:80")
        #expect(try tcp.transport == .tcp && tcp.endpoint == Endpoint("a:80"))
        #expect(try TransportEndpoint("Udp://a:80").transport == .udp)
        #expect(try TransportEndpoint("unix:///a").transport == .unix)
    }

    @Test(
        "an error has the reason",
        arguments: [
            ("", EndpointError.Reason.missingScheme), ("a:80", .missingScheme),
            ("tcp:80", .missingScheme), ("tcp:/a:80", .missingScheme), ("://a:80", .unknownScheme),
            ("http://a:80", .unknownScheme), ("tcp6://a:80", .unknownScheme),
            (" tcp://a:80", .unknownScheme), ("unixgram:///a", .unknownScheme),
            ("tcp://", .missingPort), ("tcp://:80", .emptyHost), ("tcp://a:80/", .strayCharacters),
            ("tcp://a:80?x=1", .strayCharacters), ("tcp://u@a:80", .invalidHostName),
            ("tcp://1.2.3:80", .invalidIPv4Address), ("tcp://tcp://a:80", .missingBrackets),
            ("tcp://unix:80", .invalidHostName), ("unix:", .emptyUnixName),
        ])
    func errors(text: String, reason: EndpointError.Reason) {
        let error = #expect(throws: EndpointError.self) { try TransportEndpoint(text) }
        #expect(error?.reason == reason, "\(error?.description ?? "")")
    }

    @Test("Unix sockets go with the transport unix, and with no other")
    func mismatch() throws {
        let unix = try Endpoint("unix:/a")
        let host = try Endpoint("a:80")
        #expect(try TransportEndpoint(.unix, unix) == TransportEndpoint("unix:/a"))
        #expect(try TransportEndpoint(.udp, host) == TransportEndpoint("udp://a:80"))
        for (transport, endpoint) in [(Transport.tcp, unix), (.udp, unix), (.unix, host)] {
            let error = #expect(throws: EndpointError.self) {
                try TransportEndpoint(transport, endpoint)
            }
            #expect(error?.reason == .transportMismatch)
        }
    }
}
