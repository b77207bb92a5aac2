#if TLS
import RingDispatch
import RingNetwork
import RingTLS
import Testing

@Suite("Connectors over TLS", .watchdog)
struct TLSConnectorTests {
    private func makeListener() throws -> Listener {
        let store = TLSContextStore(try TLSContext(serverConfiguration()))
        return try makeEchoListener { $0.secure(store) }
    }

    private func options() throws -> ConnectorOptions {
        var options = ConnectorOptions()
        options.tls = try TLSContext(clientConfiguration())
        return options
    }

    @Test("The server is verified for the endpoint's name, or its address")
    func verified() throws {
        let listener = try makeListener()
        let connector = Connector(options: try options())
        for (host, name) in [
            ("localhost", "localhost"), ("localhost.", "localhost"), ("127.0.0.1", "127.0.0.1"),
        ] {
            let target = try Endpoint("\(host):\(listener.port)")
            let connection = try connector.connection(to: target)
            let verified = Outcome<String?>()
            connection.setHandshakeHandler { verified.set($1.serverName) }
            #expect(Client(connection).echoes(patterned(50_000)))
            #expect(verified.wait() == name)
            connection.close()
        }
        stop(listener)
    }

    @Test("A server with another name is refused, unless that name is asked for")
    func otherName() throws {
        let listener = try makeListener()
        var options = try options()
        options.tlsServerName = "example.org"
        let connection = try Connector(options: options).connection(to: listener.endpoint)
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        connection.activate()
        guard case .tlsFailed = closed.wait() else {
            Issue.record("\(String(describing: closed.wait()))")
            return
        }
        stop(listener)
        let identity = TestIdentities.issue(
            CertificateRequest(name: "other", alternativeNames: "DNS:example.org"))
        let store = TLSContextStore(try TLSContext(serverConfiguration(identity)))
        let other = try makeEchoListener { $0.secure(store) }
        try Connector(options: options).expectEcho(from: other.endpoint)
        stop(other)
    }

    @Test("An endpoint without a name to verify is an error with a remedy")
    func nameless() throws {
        let listener = try makeEchoListener(
            .unix(UnixAddress(abstractName: makeSocketPath())))
        let error = try #require(Connector(options: options()).error(of: listener.endpoint))
        guard case .insecure = error.reason else { throw error }
        #expect(error.description.contains("serverName"))
        stop(listener)
    }
}
#endif
