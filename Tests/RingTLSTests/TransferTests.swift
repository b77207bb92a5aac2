#if TLS
import RingTLS
import Testing

@Suite("TLS transfer")
struct TransferTests {
    private func connected(_ version: TLSVersion = .tls13) throws -> EnginePair {
        var client = clientConfiguration()
        client.maximumVersion = version
        let pair = try EnginePair(client: client)
        pair.connect()
        pair.expectEstablished()
        return pair
    }

    @Test("Big transfers arrive whole in both directions", arguments: [TLSVersion.tls12, .tls13])
    func big(version: TLSVersion) throws {
        let pair = try connected(version)
        let (up, down) = (pattern(1_000_001), pattern(234_567))
        pair.client.send(up)
        pair.server.send(down)
        pair.pieceBytes = 64 * 1024 + 1
        pair.exchange()
        #expect(pair.server.received == up)
        #expect(pair.client.received == down)
    }

    @Test("Plaintext comes in pieces of at most 16 KiB")
    func pieces() throws {
        let pair = try connected()
        pair.client.send(pattern(100_000))
        var sizes: [Int] = []
        var output: [UInt8] = []
        try pair.client.outbox.withUnsafeBytes { bytes in
            try pair.server.engine.receive(bytes, output: &output) { sizes.append($0.count) }
        }
        #expect(sizes.reduce(0, +) == 100_000)
        #expect(sizes.max() == TLSEngine.recordLimit)
        #expect(output.isEmpty)
    }

    @Test("Output is appended to what is there")
    func appending() throws {
        let pair = try connected()
        var output: [UInt8] = [1, 2, 3]
        try [UInt8]("x".utf8).withUnsafeBytes { bytes in
            try pair.client.engine.send(bytes, output: &output)
        }
        #expect(output.prefix(3) == [1, 2, 3] && output.count > 3)
        pair.server.receive(output.dropFirst(3))
        #expect(pair.server.text == "x")
    }

    @Test("Empty plaintext and input have no effect")
    func empty() throws {
        let pair = try connected()
        pair.client.send([])
        pair.server.receive([])
        #expect(pair.client.outbox.isEmpty && pair.client.failure == nil)
        #expect(pair.server.failure == nil && pair.server.engine.state == .established)
    }

    @Test("A side that sent close_notify can still receive", arguments: [TLSVersion.tls12, .tls13])
    func halfClose(version: TLSVersion) throws {
        let pair = try connected(version)
        pair.client.send("question")
        pair.client.close()
        #expect(pair.client.engine.state == .closing)
        pair.deliver(from: pair.client, to: pair.server)
        #expect(pair.server.text == "question")
        #expect(pair.server.engine.state == .peerClosed)
        #expect(pair.server.engine.receivedAlert == .closeNotify)
        pair.server.end()
        #expect(pair.server.failure == nil)
        pair.server.send("answer")
        pair.server.close()
        pair.exchange()
        #expect(pair.client.text == "answer")
        #expect(pair.client.engine.state == .closed && pair.server.engine.state == .closed)
        pair.client.end()
        #expect(pair.client.failure == nil)
        pair.client.send("more")
        #expect(pair.client.failure?.reason == .closed)
    }

    @Test("Bytes behind close_notify are ignored")
    func behindTheEnd() throws {
        let pair = try connected()
        pair.client.close()
        pair.client.outbox += Array("GET / HTTP/1.1".utf8)
        pair.exchange()
        #expect(pair.server.engine.state == .peerClosed && pair.server.failure == nil)
        #expect(pair.server.received.isEmpty)
    }

    @Test("An end without close_notify is a truncation")
    func truncation() throws {
        let pair = try connected()
        pair.client.send("part")
        pair.exchange()
        pair.server.end()
        #expect(pair.server.text == "part")
        #expect(pair.server.failure?.reason == .truncated)
        guard case .failed = pair.server.engine.state else {
            Issue.record("state \(pair.server.engine.state)")
            return
        }
        let closing = try connected()
        closing.client.close()
        closing.client.end()
        #expect(closing.client.failure?.reason == .truncated)
    }

    @Test("An end in the middle of a record, or of the handshake, is a truncation")
    func truncatedRecord() throws {
        let pair = try connected()
        pair.client.send("message")
        pair.server.receive(pair.client.outbox.dropLast())
        #expect(pair.server.received.isEmpty && pair.server.failure == nil)
        pair.server.end()
        #expect(pair.server.failure?.reason == .truncated)
        let early = try EnginePair()
        early.client.start()
        early.client.end()
        #expect(early.client.failure?.reason == .truncated)
    }

    @Test("Closing during the handshake sends nothing and ends it")
    func earlyClose() throws {
        let pair = try EnginePair()
        pair.client.start()
        pair.client.outbox = []
        pair.client.close()
        #expect(pair.client.engine.state == .closed && pair.client.outbox.isEmpty)
        pair.client.receive([22, 3, 3])
        #expect(pair.client.engine.state == .closed && pair.client.failure == nil)
    }

    @Test("Many connections share two contexts")
    func many() throws {
        let contexts = try (
            TLSContext(clientConfiguration()), TLSContext(serverConfiguration())
        )
        let pairs = try (0..<20).map { _ in
            try EnginePair(client: contexts.0, server: contexts.1)
        }
        for pair in pairs { pair.connect() }
        for pair in pairs { pair.expectTalk() }
    }
}
#endif
