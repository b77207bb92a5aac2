#if TLS
import RingTLS
import Testing

@Suite("TLS handshake")
struct HandshakeTests {
    private func configurations(
        _ version: TLSVersion
    ) -> (client: TLSConfiguration, server: TLSConfiguration) {
        var client = clientConfiguration()
        client.maximumVersion = version
        return (client, serverConfiguration())
    }

    @Test("Both sides agree on a version and a cipher", arguments: [TLSVersion.tls12, .tls13])
    func versions(version: TLSVersion) throws {
        let (client, server) = configurations(version)
        let pair = try EnginePair(client: client, server: server)
        #expect(pair.client.engine.negotiation == nil)
        pair.connect()
        pair.expectTalk()
        for side in [pair.client, pair.server] {
            let negotiation = try #require(side.engine.negotiation)
            #expect(negotiation.version == version)
            #expect(!negotiation.cipher.isEmpty)
            #expect(negotiation.serverName == "localhost")
            #expect(!negotiation.isResumed)
            #expect(negotiation.applicationProtocol == nil)
        }
        #expect(pair.client.engine.negotiation?.cipher == pair.server.engine.negotiation?.cipher)
    }

    @Test(
        "The stream may be cut anywhere",
        arguments: [TLSVersion.tls12, .tls13], [1, 2, 3, 5, 16, 100, 1000, 16 * 1024])
    func splits(version: TLSVersion, pieceBytes: Int) throws {
        let (client, server) = configurations(version)
        let pair = try EnginePair(client: client, server: server)
        pair.pieceBytes = pieceBytes
        pair.connect()
        pair.expectTalk()
        let message = pattern(40_000)
        pair.client.send(message)
        pair.exchange()
        #expect(Array(pair.server.received.dropFirst(4)) == message)
        pair.client.close()
        pair.server.close()
        pair.exchange()
        #expect(pair.client.engine.state == .closed && pair.server.engine.state == .closed)
    }

    @Test("A flight may be cut at every byte", arguments: [TLSVersion.tls12, .tls13])
    func everyCut(version: TLSVersion) throws {
        let (client, server) = configurations(version)
        let contexts = (try TLSContext(client), try TLSContext(server))
        let first = try EnginePair(client: contexts.0, server: contexts.1)
        first.client.start()
        first.deliver(from: first.client, to: first.server)
        let flightBytes = first.server.outbox.count
        for cut in stride(from: 1, to: flightBytes, by: 7) {
            let pair = try EnginePair(client: contexts.0, server: contexts.1)
            pair.client.start()
            pair.deliver(from: pair.client, to: pair.server)
            let flight = pair.server.outbox
            pair.server.outbox = []
            pair.client.receive(flight.prefix(cut))
            pair.client.receive(flight.dropFirst(cut))
            pair.exchange()
            pair.expectEstablished()
        }
    }

    @Test("A version below the minimum is refused by both")
    func oldVersion() throws {
        var (client, server) = configurations(.tls12)
        server.minimumVersion = .tls13
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        #expect(pair.server.failure?.reason == .protocolViolation)
        #expect(pair.server.engine.sentAlert == .protocolVersion)
        #expect(pair.client.failure?.reason == .peerAlert(.protocolVersion))
        client.minimumVersion = .tls13
        #expect(throws: TLSError.self) { try TLSContext(client) }
    }

    @Test("Without a common cipher the handshake ends with an alert")
    func ciphers() throws {
        var (client, server) = configurations(.tls12)
        client.cipherList = "ECDHE-ECDSA-AES128-GCM-SHA256"
        server.cipherList = "ECDHE-ECDSA-AES256-GCM-SHA384"
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        #expect(pair.server.failure?.reason == .protocolViolation)
        #expect(pair.client.failure?.reason == .peerAlert(.handshakeFailure))
        server.cipherList = client.cipherList
        let agreeing = try EnginePair(client: client, server: server)
        agreeing.connect()
        #expect(agreeing.client.engine.negotiation?.cipher == client.cipherList)
    }

    @Test("A cipher suite of TLS 1.3 can be chosen")
    func cipherSuites() throws {
        var (client, server) = configurations(.tls13)
        server.cipherSuites = "TLS_CHACHA20_POLY1305_SHA256"
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        #expect(pair.client.engine.negotiation?.cipher == "TLS_CHACHA20_POLY1305_SHA256")
        client.cipherSuites = "no such suite"
        #expect(throws: TLSError.self) { try TLSContext(client) }
    }

    @Test("The preferred protocol of the server is chosen (ALPN)")
    func alpn() throws {
        var (client, server) = configurations(.tls13)
        client.applicationProtocols = ["http/1.1", "h2"]
        server.applicationProtocols = ["h3", "h2", "http/1.1"]
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        pair.expectTalk()
        #expect(pair.client.engine.negotiation?.applicationProtocol == "h2")
        #expect(pair.server.engine.negotiation?.applicationProtocol == "h2")
    }

    @Test("Without a protocol in common the server refuses, unless the client uses no ALPN")
    func alpnMismatch() throws {
        var (client, server) = configurations(.tls13)
        client.applicationProtocols = ["h2"]
        server.applicationProtocols = ["mqtt"]
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        #expect(pair.server.failure?.reason == .protocolViolation)
        #expect(pair.client.failure?.reason == .peerAlert(.noApplicationProtocol))
        client.applicationProtocols = []
        let silent = try EnginePair(client: client, server: server)
        silent.connect()
        silent.expectTalk()
        #expect(silent.client.engine.negotiation?.applicationProtocol == nil)
    }

    @Test("A server without protocols leaves a client's offer unanswered")
    func alpnOffer() throws {
        var (client, server) = configurations(.tls13)
        client.applicationProtocols = ["h2"]
        server.applicationProtocols = []
        let pair = try EnginePair(client: client, server: server)
        pair.connect()
        pair.expectTalk()
        #expect(pair.client.engine.negotiation?.applicationProtocol == nil)
    }

    @Test("Names of protocols that the wire cannot carry are refused")
    func alpnNames() {
        var configuration = clientConfiguration()
        for name in ["", String(repeating: "a", count: 256)] {
            configuration.applicationProtocols = [name]
            #expect(throws: TLSError.self) { try TLSContext(configuration) }
        }
    }
}
#endif
