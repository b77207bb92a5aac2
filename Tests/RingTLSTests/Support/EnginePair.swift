#if TLS
import RingTLS
import Testing

/// One side: its engine, its undelivered output, and all received plaintext.
final class Side {
    let engine: TLSEngine
    var outbox: [UInt8] = []
    private(set) var received: [UInt8] = []
    private(set) var failure: TLSError?

    init(_ context: TLSContext, serverName: String? = nil) throws {
        engine = try TLSEngine(context: context, serverName: serverName)
    }

    func start() {
        noting { side in try side.engine.startHandshake(output: &side.outbox) }
    }

    func receive(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        noting { side in
            try bytes.withUnsafeBytes { bytes in
                try side.engine.receive(bytes, output: &side.outbox) { plaintext in
                    side.received.append(contentsOf: plaintext)
                }
            }
        }
    }

    func send(_ bytes: [UInt8]) {
        noting { side in
            try bytes.withUnsafeBytes { bytes in
                try side.engine.send(bytes, output: &side.outbox)
            }
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }
    func close() { engine.close(output: &outbox) }

    func end() {
        noting { side in try side.engine.receiveEnd() }
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    private func noting(_ body: (Side) throws -> Void) {
        do {
            try body(self)
        } catch let error as TLSError {
            failure = error
        } catch {
            Issue.record(error)
        }
    }
}

/// A client and a server in memory, and the wire between them.
final class EnginePair {
    let client: Side
    let server: Side
    /// The size of the pieces of a delivery.
    var pieceBytes = Int.max

    init(client: TLSContext, server: TLSContext, serverName: String? = "localhost") throws {
        self.client = try Side(client, serverName: serverName)
        self.server = try Side(server)
    }

    convenience init(
        client: TLSConfiguration = clientConfiguration(),
        server: TLSConfiguration = serverConfiguration(), serverName: String? = "localhost"
    ) throws {
        try self.init(
            client: TLSContext(client), server: TLSContext(server), serverName: serverName)
    }

    /// Completes the handshake, and delivers until both sides have nothing to send.
    func connect() {
        client.start()
        server.start()
        exchange()
    }

    func exchange() {
        while !client.outbox.isEmpty || !server.outbox.isEmpty {
            deliver(from: client, to: server)
            deliver(from: server, to: client)
        }
    }

    func deliver(from: Side, to: Side) {
        var bytes = from.outbox[...]
        from.outbox = []
        while !bytes.isEmpty {
            to.receive(bytes.prefix(pieceBytes))
            bytes = bytes.dropFirst(pieceBytes)
        }
    }

    func expectEstablished(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(client.engine.state == .established, sourceLocation: sourceLocation)
        #expect(server.engine.state == .established, sourceLocation: sourceLocation)
    }

    /// Checks both directions.
    func expectTalk(sourceLocation: SourceLocation = #_sourceLocation) {
        expectEstablished(sourceLocation: sourceLocation)
        let before = (client.received.count, server.received.count)
        client.send("ping")
        server.send("pong")
        exchange()
        let clientHeard = client.received.dropFirst(before.0)
        let serverHeard = server.received.dropFirst(before.1)
        #expect(Array(clientHeard) == Array("pong".utf8), sourceLocation: sourceLocation)
        #expect(Array(serverHeard) == Array("ping".utf8), sourceLocation: sourceLocation)
    }
}

/// Deterministic bytes with a long period.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt64 = 88_172_645_463_325_252
    let words = (0..<(count + 7) / 8).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}
#endif
