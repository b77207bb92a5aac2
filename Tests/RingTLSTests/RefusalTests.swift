#if TLS
import CTLS
import Glibc
import Testing

@testable import RingTLS

@Suite("TLS refusals")
struct RefusalTests {
    private func connected() throws -> EnginePair {
        let pair = try EnginePair()
        pair.connect()
        pair.expectEstablished()
        return pair
    }

    @Test(
        "A peer that does not speak TLS is refused",
        arguments: [
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n",
            String(repeating: "\0", count: 200),
            "\u{16}\u{3}\u{1}garbage that resembles a record at first, and then does not at all",
        ])
    func garbage(text: String) throws {
        for isServer in [true, false] {
            let pair = try EnginePair()
            let side = isServer ? pair.server : pair.client
            side.start()
            side.receive(Array(text.utf8))
            let failure = try #require(side.failure)
            #expect(failure.reason == .protocolViolation, "\(failure)")
            #expect(failure.detail?.isEmpty == false && failure.remedy != nil)
            #expect(side.engine.state == .failed(failure))
        }
    }

    @Test("Random bytes never crash and never establish anything")
    func randomBytes() throws {
        let context = try TLSContext(serverConfiguration())
        for length in 1...300 {
            let side = try Side(context)
            side.receive([22, 3, 1, 0, UInt8(length % 256)] + pattern(length))
            side.receive(pattern(length * 3))
            #expect(side.engine.state != .established)
        }
    }

    @Test("A changed byte ends the connection with an alert, and the plaintext before it is good")
    func changedByte() throws {
        let pair = try connected()
        pair.client.send("good")
        pair.client.send("evil")
        pair.client.outbox[pair.client.outbox.count - 1] ^= 1
        pair.deliver(from: pair.client, to: pair.server)
        #expect(pair.server.text == "good")
        #expect(pair.server.failure?.reason == .protocolViolation)
        #expect(pair.server.engine.sentAlert == .badRecordMAC)
        #expect(!pair.server.outbox.isEmpty)
        pair.exchange()
        #expect(pair.client.failure?.reason == .peerAlert(.badRecordMAC))
    }

    @Test("A flight with a changed byte is refused, wherever the byte is")
    func changedFlight() throws {
        let contexts = try (
            TLSContext(clientConfiguration()), TLSContext(serverConfiguration())
        )
        let first = try EnginePair(client: contexts.0, server: contexts.1)
        first.client.start()
        first.deliver(from: first.client, to: first.server)
        for place in stride(from: 0, to: first.server.outbox.count, by: 11) {
            let pair = try EnginePair(client: contexts.0, server: contexts.1)
            pair.client.start()
            pair.deliver(from: pair.client, to: pair.server)
            // Flights differ in length by a few bytes.
            pair.server.outbox[min(place, pair.server.outbox.count - 1)] ^= 0x55
            pair.exchange()
            #expect(pair.server.engine.state != .established, "byte \(place)")
            // A wrong length byte makes the engine wait for more, which does not come.
            pair.client.end()
            #expect(pair.client.failure != nil, "byte \(place)")
        }
    }

    @Test("A failed engine stays failed, and throws the same error again")
    func failed() throws {
        let pair = try EnginePair()
        pair.server.receive(Array("no TLS, not even a bit".utf8))
        let failure = try #require(pair.server.failure)
        pair.client.start()
        let before = pair.server.outbox
        pair.deliver(from: pair.client, to: pair.server)
        #expect(pair.server.failure == failure && pair.server.outbox == before)
        pair.server.send("x")
        #expect(pair.server.failure == failure)
        pair.server.end()
        #expect(pair.server.failure == failure)
        pair.server.close()
        #expect(pair.server.outbox == before && pair.server.engine.state == .failed(failure))
    }

    @Test("A server takes no second handshake in TLS 1.2")
    func renegotiation() throws {
        var configuration = clientConfiguration()
        configuration.maximumVersion = .tls12
        let pair = try EnginePair(client: configuration)
        pair.connect()
        pair.expectTalk()
        // A client that renegotiates nevertheless: its next record is a ClientHello.
        SSL_clear_options(pair.client.engine.ssl, CTLS_OPTIONS)
        #expect(SSL_renegotiate(pair.client.engine.ssl) == 1)
        pair.client.send("x")
        #expect(!pair.client.outbox.isEmpty)
        pair.deliver(from: pair.client, to: pair.server)
        // no_renegotiation, a warning.
        #expect(pair.server.engine.sentAlert?.code == 100)
        #expect(pair.server.engine.state == .established)
    }

    @Test("Using an engine inside of its own closure is refused")
    func reentrance() async {
        let result = await #expect(
            processExitsWith: .signal(SIGABRT), observing: lastWords
        ) {
            prepareForTrap()
            let pair = try EnginePair()
            pair.connect()
            pair.client.send("x")
            var output: [UInt8] = []
            var inner: [UInt8] = []
            try pair.client.outbox.withUnsafeBytes { bytes in
                try pair.server.engine.receive(bytes, output: &output) { _ in
                    pair.server.engine.close(output: &inner)
                }
            }
        }
        expectMessage(result, naming: "TLSEngine", "used in a closure that it calls")
    }
}
#endif
