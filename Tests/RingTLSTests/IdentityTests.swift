#if TLS
import RingTLS
import Testing

@Suite("TLS identities and settings")
struct IdentityTests {
    private let own = TestIdentities.server

    private func error(_ change: (inout TLSIdentity) -> Void) -> TLSError? {
        var identity = own.identity
        change(&identity)
        do {
            _ = try TLSContext(.server(identity: identity))
            return nil
        } catch { return error as? TLSError }
    }

    @Test("Certificate and key may be in files, or in one")
    func files() throws {
        let folder = Folder()
        let certificate = folder.makeFile("certificate.pem", own.certificatePEM)
        let key = folder.makeFile("key.pem", own.keyPEM())
        let both = folder.makeFile("both.pem", own.keyPEM() + own.certificatePEM)
        for (certificate, key) in [(certificate, key), (both, both)] {
            let identity = TLSIdentity(certificateFile: certificate, keyFile: key)
            var client = clientConfiguration()
            client.trustRoots = .file(
                folder.makeFile("roots.pem", TestIdentities.authority.certificatePEM))
            let pair = try EnginePair(client: client, server: .server(identity: identity))
            pair.connect()
            pair.expectTalk()
        }
    }

    @Test("A missing file is named, with the system's reason")
    func missingFile() {
        for change in [
            { (identity: inout TLSIdentity) in identity.certificateChain = .file("/gone/a.pem") },
            { (identity: inout TLSIdentity) in identity.privateKey = .file("/gone/a.pem") },
        ] {
            let error = error(change)
            #expect(error?.reason == .file)
            #expect(error?.description.contains("'/gone/a.pem': No such file") == true)
        }
        var configuration = clientConfiguration()
        configuration.trustRoots = .file("/gone/roots.pem")
        #expect(throws: TLSError.self) { try TLSContext(configuration) }
    }

    @Test("A key that belongs to another certificate is refused")
    func mismatch() {
        let error = error { $0.privateKey = .bytes(TestIdentities.client.keyPEM()) }
        #expect(error?.reason == .keyMismatch)
        let authority = TestIdentities.authority.certificatePEM
        let order = self.error { $0.certificateChain = .bytes(authority + own.certificatePEM) }
        #expect(order?.reason == .keyMismatch)
        #expect(order?.remedy?.contains("before those of authorities") == true)
    }

    @Test("An encrypted key needs its password")
    func password() {
        let key = TLSPEMSource.bytes(own.keyPEM(password: "secret"))
        #expect(error { ($0.privateKey, $0.password) = (key, "secret") } == nil)
        let wrong = error { ($0.privateKey, $0.password) = (key, "guess") }
        #expect(wrong?.reason == .password && wrong?.message.contains("is wrong") == true)
        let missing = error { $0.privateKey = key }
        #expect(missing?.reason == .password)
        #expect(missing?.message.contains("no password was given") == true)
    }

    @Test("An input without a certificate or a key is reported")
    func nonsense() {
        for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nnonsense\n"] {
            let bytes = Array(text.utf8)
            #expect(error { $0.certificateChain = .bytes(bytes) }?.reason == .certificate)
            #expect(error { $0.privateKey = .bytes(bytes) }?.reason == .privateKey)
        }
        let cut = own.certificatePEM.dropLast(60)
        #expect(error { $0.certificateChain = .bytes(Array(cut)) }?.reason == .certificate)
        var configuration = clientConfiguration()
        configuration.trustRoots = .pem(.bytes([]))
        #expect(throws: TLSError.self) { try TLSContext(configuration) }
    }

    @Test("Contradictory settings are refused")
    func contradictions() {
        func reason(_ configuration: TLSConfiguration) -> TLSError.Reason? {
            do {
                _ = try TLSContext(configuration)
                return nil
            } catch { return (error as? TLSError)?.reason }
        }
        var client = clientConfiguration()
        client.verification = .optional
        #expect(reason(client) == .configuration)
        client = clientConfiguration()
        client.serverNames = TLSServerNames([:])
        #expect(reason(client) == .configuration)
        client = clientConfiguration()
        client.cipherList = "no such cipher"
        #expect(reason(client) == .configuration)
        var server = serverConfiguration()
        server.verification = .full
        #expect(reason(server) == .configuration)
        server = serverConfiguration()
        server.identity = nil
        #expect(reason(server) == .configuration)
    }

    @Test("Reloading reads the files again, for new connections")
    func reload() throws {
        let folder = Folder()
        let (first, second) = (own, TestIdentities.issue(CertificateRequest()))
        let certificate = folder.makeFile("certificate.pem", first.certificatePEM)
        let key = folder.makeFile("key.pem", first.keyPEM())
        let store = try TLSContextStore(
            .server(identity: TLSIdentity(certificateFile: certificate, keyFile: key)))
        let client = try TLSContext(clientConfiguration())
        let before = try EnginePair(client: client, server: store.current)
        before.client.start()
        before.deliver(from: before.client, to: before.server)

        folder.makeFile("certificate.pem", second.certificatePEM)
        #expect(throws: TLSError.self) { try store.reload() }
        let between = try EnginePair(client: client, server: store.current)
        between.connect()
        #expect(between.client.engine.peerCertificateChain() == [first.der])

        folder.makeFile("key.pem", second.keyPEM())
        try store.reload()
        let after = try EnginePair(client: client, server: store.current)
        after.connect()
        after.expectTalk()
        #expect(after.client.engine.negotiation?.isResumed == false)
        #expect(after.client.engine.peerCertificateChain() == [second.der])
        before.exchange()
        before.expectTalk()
        #expect(before.client.engine.peerCertificateChain() == [first.der])
    }

    @Test("Many threads share contexts while one of them is replaced again and again")
    func sharing() async throws {
        let store = try TLSContextStore(serverConfiguration())
        let client = try TLSContext(clientConfiguration())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var resumed = 0
                    for _ in 0..<25 {
                        let pair = try EnginePair(client: client, server: store.current)
                        pair.connect()
                        pair.expectTalk()
                        if pair.client.engine.negotiation?.isResumed == true { resumed += 1 }
                    }
                    return resumed
                }
            }
            group.addTask {
                for _ in 0..<10 { try store.reload() }
                return 0
            }
            let resumed = try await group.reduce(0, +)
            #expect(resumed > 0)
        }
    }
}
#endif
