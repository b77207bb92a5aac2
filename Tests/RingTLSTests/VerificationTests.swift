#if TLS
import RingTLS
import Testing

@Suite("TLS verification")
struct VerificationTests {
    /// A server with one certificate, and a client's verdict on it.
    private func verdict(
        _ request: CertificateRequest, by issuer: Issued = TestIdentities.authority,
        serverName: String = "localhost",
        change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> (pair: EnginePair, failure: TLSError.Reason?) {
        var client = clientConfiguration()
        change(&client)
        let issued = TestIdentities.issue(request, by: issuer)
        let pair = try EnginePair(
            client: client, server: serverConfiguration(issued), serverName: serverName)
        pair.connect()
        if pair.client.failure == nil { pair.expectTalk() }
        return (pair, pair.client.failure?.reason)
    }

    @Test(
        "A certificate is valid only for its names",
        arguments: [
            ("DNS:www.example.org", "www.example.org", true),
            ("DNS:www.example.org", "WWW.Example.ORG.", true),
            ("DNS:*.example.org", "www.example.org", true),
            ("DNS:*.example.org", "a.b.example.org", false),
            ("DNS:w*.example.org", "www.example.org", false),
            ("DNS:www.example.org", "example.org", false),
            ("IP:127.0.0.1", "127.0.0.1", true),
            ("IP:127.0.0.1", "127.0.0.2", false),
            ("IP:::1", "::1", true),
            ("DNS:localhost", "127.0.0.1", false),
        ])
    func names(names: String, serverName: String, isGood: Bool) throws {
        let request = CertificateRequest(name: "somebody", alternativeNames: names)
        let (pair, failure) = try verdict(request, serverName: serverName)
        #expect(failure == (isGood ? nil : .verification(.hostName)))
        if !isGood {
            let text = try #require(pair.client.failure?.description)
            #expect(text.contains("'\(serverName)'"))
            #expect(pair.client.engine.sentAlert == .badCertificate)
            #expect(pair.server.failure?.reason == .peerAlert(.badCertificate))
        }
    }

    @Test("Addresses are not sent as server names")
    func addresses() throws {
        let (pair, _) = try verdict(CertificateRequest(), serverName: "127.0.0.1")
        #expect(pair.server.engine.serverName == nil)
        let (named, _) = try verdict(CertificateRequest())
        #expect(named.server.engine.serverName == "localhost")
    }

    @Test("An expired certificate is refused, and its owner warned")
    func expired() throws {
        let request = CertificateRequest(beginsSeconds: -7200, endsSeconds: -3600)
        let (pair, failure) = try verdict(request)
        #expect(failure == .verification(.expired))
        #expect(pair.server.failure?.reason == .peerAlert(.certificateExpired))
        let warnings = pair.server.engine.context.warnings
        #expect(warnings.count == 1 && warnings[0].contains("has expired"))
        #expect(pair.client.engine.context.warnings.isEmpty)
    }

    @Test("A certificate that is not valid yet is refused, and its owner warned")
    func early() throws {
        let (pair, failure) = try verdict(CertificateRequest(beginsSeconds: 3600))
        #expect(failure == .verification(.notYetValid))
        #expect(pair.server.engine.context.warnings.first?.contains("not valid yet") == true)
    }

    @Test("A certificate of an unknown authority is refused with an alert")
    func unknownAuthority() throws {
        let (pair, failure) = try verdict(
            CertificateRequest(), by: TestIdentities.otherAuthority)
        #expect(failure == .verification(.untrusted))
        #expect(pair.client.engine.sentAlert == .unknownAuthority)
        #expect(pair.server.failure?.reason == .peerAlert(.unknownAuthority))
        #expect(pair.client.failure?.remedy?.contains("trustRoots") == true)
    }

    @Test("The system's authorities do not include a test's")
    func systemRoots() throws {
        let (_, failure) = try verdict(CertificateRequest()) { $0.trustRoots = .system }
        #expect(failure == .verification(.untrusted))
    }

    @Test("Intermediate certificates lead to the root, and are shown")
    func chain() throws {
        let middle = TestIdentities.issue(
            CertificateRequest(name: "Middle", alternativeNames: nil, isAuthority: true))
        let own = TestIdentities.issue(CertificateRequest(), by: middle)
        var server = serverConfiguration(own)
        server.identity?.certificateChain = .bytes(own.certificatePEM + middle.certificatePEM)
        let pair = try EnginePair(server: server)
        pair.connect()
        pair.expectTalk()
        #expect(pair.client.engine.peerCertificateChain() == [own.der, middle.der])
        #expect(pair.server.engine.peerCertificateChain().isEmpty)
        let without = try EnginePair(server: serverConfiguration(own))
        without.connect()
        #expect(without.client.failure?.reason == .verification(.untrusted))
    }

    @Test("Less verification accepts more")
    func lessVerification() throws {
        let other = CertificateRequest(name: "other", alternativeNames: "DNS:other")
        #expect(try verdict(other) { $0.verification = .required }.failure == nil)
        let unknown = try verdict(other, by: TestIdentities.otherAuthority) {
            $0.verification = .required
        }
        #expect(unknown.failure == .verification(.untrusted))
        let none = try verdict(other, by: TestIdentities.otherAuthority) {
            $0.verification = .none
        }
        #expect(none.failure == nil)
    }

    @Test("A closure may verify instead of authorities")
    func custom() throws {
        let pinned = TestIdentities.issue(
            CertificateRequest(name: "pinned"), by: TestIdentities.otherAuthority)
        for isPinned in [true, false] {
            var client = clientConfiguration()
            client.trustRoots = .custom { [der = pinned.der] chain, serverName in
                serverName == "localhost" && chain.first == der
            }
            let server = serverConfiguration(isPinned ? pinned : TestIdentities.server)
            let pair = try EnginePair(client: client, server: server)
            pair.connect()
            if isPinned {
                pair.expectTalk()
            } else {
                #expect(pair.client.failure?.reason == .verification(.refused))
            }
        }
    }

    @Test("Full verification needs a name")
    func nameless() throws {
        let error = #expect(throws: TLSError.self) { try EnginePair(serverName: nil) }
        #expect(error?.reason == .configuration)
        for name in ["", "a b", "b\u{fc}cher.example", String(repeating: "a", count: 256)] {
            #expect(throws: TLSError.self) { try EnginePair(serverName: name) }
        }
    }
}

@Suite("Mutual TLS")
struct MutualTests {
    private func connect(
        _ identity: TLSIdentity?, verification: TLSVerification = .required,
        version: TLSVersion
    ) throws -> EnginePair {
        var client = clientConfiguration()
        client.identity = identity
        client.maximumVersion = version
        var server = serverConfiguration()
        server.verification = verification
        server.trustRoots = TestIdentities.authority.trust
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        return pair
    }

    @Test("A client's certificate is accepted and shown", arguments: [TLSVersion.tls12, .tls13])
    func accepted(version: TLSVersion) throws {
        let client = TestIdentities.client
        let pair = try connect(client.identity, version: version)
        pair.expectTalk()
        #expect(pair.server.engine.peerCertificateChain() == [client.der])
    }

    @Test("A client without a certificate is refused", arguments: [TLSVersion.tls12, .tls13])
    func missing(version: TLSVersion) throws {
        let pair = try connect(nil, version: version)
        #expect(pair.server.failure?.reason == .verification(.missing))
        let alert: TLSAlert = version == .tls13 ? .certificateRequired : .handshakeFailure
        #expect(pair.client.failure?.reason == .peerAlert(alert))
        #expect(pair.server.engine.sentAlert == alert)
    }

    @Test("A client of another authority is refused", arguments: [TLSVersion.tls12, .tls13])
    func wrongAuthority(version: TLSVersion) throws {
        let stranger = TestIdentities.issue(
            CertificateRequest(name: "stranger"), by: TestIdentities.otherAuthority)
        let pair = try connect(stranger.identity, version: version)
        #expect(pair.server.failure?.reason == .verification(.untrusted))
        #expect(pair.client.failure?.reason == .peerAlert(.unknownAuthority))
    }

    @Test("An optional certificate may be missing, but not wrong")
    func optional() throws {
        let without = try connect(nil, verification: .optional, version: .tls13)
        without.expectTalk()
        #expect(without.server.engine.peerCertificateChain().isEmpty)
        let with = try connect(
            TestIdentities.client.identity, verification: .optional, version: .tls13)
        with.expectTalk()
        #expect(with.server.engine.peerCertificateChain().count == 1)
        let stranger = TestIdentities.issue(
            CertificateRequest(name: "stranger"), by: TestIdentities.otherAuthority)
        let wrong = try connect(stranger.identity, verification: .optional, version: .tls13)
        #expect(wrong.server.failure?.reason == .verification(.untrusted))
    }
}
#endif
