#if TLS
import RingTLS
import Synchronization
import Testing

@Suite("TLS server names")
struct ServerNameTests {
    private func issued(_ name: String) -> Issued {
        TestIdentities.issue(CertificateRequest(name: name, alternativeNames: "DNS:\(name)"))
    }

    private func connect(
        to name: String?, _ server: TLSConfiguration,
        change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> EnginePair {
        var client = clientConfiguration()
        if name == nil { client.verification = .required }
        change(&client)
        let pair = try EnginePair(client: client, server: server, serverName: name)
        pair.connect()
        return pair
    }

    @Test("A table gives each name its certificate", arguments: [TLSVersion.tls12, .tls13])
    func table(version: TLSVersion) throws {
        let (a, wild) = (issued("a.example"), issued("*.example.org"))
        var server = serverConfiguration()
        server.serverNames = try TLSServerNames([
            "A.example": TLSContext(serverConfiguration(a)),
            "*.example.org": TLSContext(serverConfiguration(wild)),
        ])
        for (name, expected) in [
            ("a.example", a), ("A.EXAMPLE.", a), ("x.example.org", wild),
            ("localhost", TestIdentities.server),
        ] {
            let pair = try connect(to: name, server) { $0.maximumVersion = version }
            pair.expectTalk()
            #expect(pair.client.engine.peerCertificateChain() == [expected.der], "\(name)")
            #expect(pair.server.engine.negotiation?.serverName == name.lowercased().trimmed)
        }
        let nameless = try connect(to: nil, server) { $0.maximumVersion = version }
        nameless.expectTalk()
        #expect(nameless.client.engine.peerCertificateChain() == [TestIdentities.server.der])
        let unknown = try connect(to: "x.y.example.org", server) { $0.maximumVersion = version }
        #expect(unknown.client.failure?.reason == .verification(.hostName))
    }

    @Test("Unknown names can be refused")
    func refusal() throws {
        var server = serverConfiguration()
        server.serverNames = TLSServerNames([:], refusesUnknownNames: true)
        let pair = try connect(to: "localhost", server)
        #expect(pair.client.failure?.reason == .peerAlert(.unrecognizedName))
        #expect(pair.server.engine.sentAlert == .unrecognizedName)
        try connect(to: nil, server).expectTalk()
    }

    @Test("A closure chooses, and all settings of the chosen context count")
    func closure() throws {
        var strict = serverConfiguration(issued("strict.example"))
        strict.verification = .required
        strict.trustRoots = TestIdentities.authority.trust
        strict.applicationProtocols = ["inner"]
        strict.minimumVersion = .tls13
        strict.cipherSuites = "TLS_CHACHA20_POLY1305_SHA256"
        let context = try TLSContext(strict)
        var server = serverConfiguration()
        server.applicationProtocols = ["outer"]
        let asked = Mutex<[String]>([])
        server.serverNames = TLSServerNames { name in
            asked.withLock { $0.append(name) }
            return name == "strict.example" ? context : nil
        }
        let offer = ["outer", "inner"]
        let refused = try connect(to: "strict.example", server)
        #expect(refused.server.failure?.reason == .verification(.missing))
        let old = try connect(to: "strict.example", server) { $0.maximumVersion = .tls12 }
        #expect(old.client.failure?.reason == .peerAlert(.protocolVersion))
        let accepted = try connect(to: "strict.example", server) {
            $0.identity = TestIdentities.client.identity
            $0.applicationProtocols = offer
        }
        accepted.expectTalk()
        let negotiation = accepted.client.engine.negotiation
        #expect(negotiation?.applicationProtocol == "inner")
        #expect(negotiation?.cipher == "TLS_CHACHA20_POLY1305_SHA256")
        #expect(accepted.server.engine.context === context)
        let outer = try connect(to: "localhost", server) { $0.applicationProtocols = offer }
        outer.expectTalk()
        #expect(outer.client.engine.negotiation?.applicationProtocol == "outer")
        #expect(asked.withLock { Set($0) } == ["strict.example", "localhost"])
    }

    @Test("Reloading reads the files of a table's contexts again, all or none")
    func reload() throws {
        let folder = Folder()
        let (first, second) = (issued("a.example"), issued("a.example"))
        let certificate = folder.makeFile("certificate.pem", first.certificatePEM)
        let key = folder.makeFile("key.pem", first.keyPEM())
        let files = TLSIdentity(certificateFile: certificate, keyFile: key)
        let context = try TLSContext(.server(identity: files))
        var server = serverConfiguration()
        server.serverNames = TLSServerNames(
            ["a.example": context, "*.example": context], refusesUnknownNames: true)
        let store = try TLSContextStore(server)
        func shown(_ name: String) throws -> [[UInt8]] {
            let pair = try EnginePair(
                client: TLSContext(clientConfiguration()), server: store.current, serverName: name)
            pair.connect()
            return pair.client.engine.peerCertificateChain()
        }
        #expect(try shown("a.example") == [first.der])
        folder.makeFile("certificate.pem", second.certificatePEM)
        let before = store.current
        #expect(throws: TLSError.self) { try store.reload() }
        #expect(store.current === before)
        folder.makeFile("key.pem", second.keyPEM())
        try store.reload()
        #expect(try shown("a.example") == [second.der])
        #expect(store.current.configuration.serverNames?.refusesUnknownNames == true)
    }

    @Test("The last context of a name lives as long as its connections")
    func life() throws {
        var server = serverConfiguration()
        let contexts = Mutex<[Weak]>([])
        let identity = issued("short.example").identity
        server.serverNames = TLSServerNames { _ in
            let context = try? TLSContext(.server(identity: identity))
            contexts.withLock { $0.append(Weak(context: context)) }
            return context
        }
        func isAlive() -> [Bool] { contexts.withLock { $0.map { $0.context != nil } } }
        do {
            let pair = try connect(to: "short.example", server)
            pair.expectTalk()
            #expect(isAlive() == [true])
            pair.expectTalk()
        }
        #expect(isAlive() == [false])
    }

    private struct Weak {
        weak var context: TLSContext?
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(".") ? String(dropLast()) : self }
}
#endif
