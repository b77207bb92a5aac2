#if TLS
import RingTLS
import Testing

@Suite("TLS resumption")
struct ResumptionTests {
    private func connect(
        _ client: TLSContext, _ server: TLSContext, name: String = "localhost",
        close: Bool = true
    ) throws -> Bool {
        let pair = try EnginePair(client: client, server: server, serverName: name)
        pair.connect()
        pair.expectTalk()
        if close {
            pair.client.close()
            pair.server.close()
            pair.exchange()
        }
        let (one, other) = (pair.client.engine.negotiation, pair.server.engine.negotiation)
        #expect(one?.isResumed == other?.isResumed)
        return one?.isResumed == true
    }

    private func client(
        _ version: TLSVersion, change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> TLSContext {
        var configuration = clientConfiguration()
        configuration.maximumVersion = version
        change(&configuration)
        return try TLSContext(configuration)
    }

    @Test("A second connection resumes", arguments: [TLSVersion.tls12, .tls13], [true, false])
    func second(version: TLSVersion, close: Bool) throws {
        let client = try client(version)
        let server = try TLSContext(serverConfiguration())
        #expect(try !connect(client, server, close: close))
        for _ in 0..<6 { #expect(try connect(client, server, close: close)) }
    }

    @Test("A resumed client still knows its server's certificate")
    func certificates() throws {
        let client = try client(.tls13)
        let server = try TLSContext(serverConfiguration())
        #expect(try !connect(client, server))
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        #expect(pair.client.engine.negotiation?.isResumed == true)
        #expect(pair.client.engine.peerCertificateChain().first == TestIdentities.server.der)
    }

    @Test(
        "Another client, another server and another name resume nothing",
        arguments: [TLSVersion.tls12, .tls13])
    func others(version: TLSVersion) throws {
        let client = try client(version)
        let server = try TLSContext(serverConfiguration())
        #expect(try !connect(client, server))
        #expect(try !connect(self.client(version), server))
        #expect(try !connect(client, server, name: "127.0.0.1"))
        #expect(try connect(client, server))
        // A server without the session continues with a full handshake, and its own session is then
        // the newest.
        #expect(try !connect(client, TLSContext(serverConfiguration())))
        #expect(try !connect(client, server))
        #expect(try connect(client, server))
    }

    @Test("Resumption can be turned off on either side", arguments: [TLSVersion.tls12, .tls13])
    func off(version: TLSVersion) throws {
        let server = try TLSContext(serverConfiguration())
        let withoutCache = try client(version) { $0.resumesSessions = false }
        for _ in 0..<2 { #expect(try !connect(withoutCache, server)) }
        var configuration = serverConfiguration()
        configuration.resumesSessions = false
        let withoutTickets = try TLSContext(configuration)
        let client = try client(version)
        for _ in 0..<2 { #expect(try !connect(client, withoutTickets)) }
    }

    @Test(
        "A name that wants a client's certificate does not take another name's session",
        arguments: [TLSVersion.tls12, .tls13])
    func names(version: TLSVersion) throws {
        // One certificate for both names, so that only the settings differ.
        let both = TestIdentities.issue(
            CertificateRequest(alternativeNames: "DNS:open.example,DNS:strict.example"))
        var strict = serverConfiguration(both)
        strict.verification = .required
        strict.trustRoots = TestIdentities.authority.trust
        var outer = serverConfiguration(both)
        outer.serverNames = try TLSServerNames([
            "strict.example": TLSContext(strict),
            "open.example": TLSContext(serverConfiguration(both)),
        ])
        let server = try TLSContext(outer)
        let client = try client(version)
        #expect(try !connect(client, server, name: "open.example"))
        #expect(try connect(client, server, name: "open.example"))
        // An attacker would offer a session of `open.example` to the other name.
        let pair = try EnginePair(client: client, server: server, serverName: "open.example")
        #expect(pair.client.pretend(serverName: "strict.example"))
        pair.connect()
        #expect(pair.server.failure?.reason == .verification(.missing))
    }

    @Test(
        "Mutual TLS is resumed with the client's certificate known",
        arguments: [TLSVersion.tls12, .tls13])
    func mutual(version: TLSVersion) throws {
        var strict = serverConfiguration()
        strict.verification = .required
        strict.trustRoots = TestIdentities.authority.trust
        let server = try TLSContext(strict)
        let client = try client(version) { $0.identity = TestIdentities.client.identity }
        #expect(try !connect(client, server))
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        pair.expectTalk()
        #expect(pair.server.engine.negotiation?.isResumed == true)
        #expect(pair.server.engine.peerCertificateChain().first == TestIdentities.client.der)
    }
}
#endif
