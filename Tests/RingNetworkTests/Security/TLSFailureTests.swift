#if TLS
import CTLS
import Glibc
import RingDispatch
import Testing

@testable import RingNetwork
@testable import RingTLS

@Suite("Connections over TLS that fail", .watchdog)
struct TLSFailureTests {
    /// A server's connection, and a peer that the test scripts.
    private func makeServer(
        _ options: ConnectionOptions = ConnectionOptions().withPatientHandshake,
        _ configure: (Connection) -> Void = { _ in }
    ) throws -> (Wire, Connection, Outcome<CloseReason>) {
        let context = try TLSContext(serverConfiguration())
        return makeEcho(options) { connection in
            #expect(throws: Never.self) { try connection.secure(with: context) }
            configure(connection)
        }
    }

    /// A client whose handshake has ended.
    private func connectEngine(_ wire: Wire) throws -> TLSEngine {
        let (engine, last) = try shakeHands(wire)
        wire.send(last)
        return engine
    }

    /// A client, and the last bytes of its handshake, which are still to be sent.
    private func shakeHands(_ wire: Wire) throws -> (TLSEngine, last: [UInt8]) {
        let engine = try TLSEngine(
            context: TLSContext(clientConfiguration()), serverName: "localhost")
        var output: [UInt8] = []
        try engine.startHandshake(output: &output)
        while engine.state == .handshaking {
            wire.send(output)
            output = []
            let bytes = wire.receive(1)
            try #require(!bytes.isEmpty, "the server has left")
            try bytes.withUnsafeBytes { try engine.receive($0, output: &output) { _ in } }
        }
        return (engine, output)
    }

    /// What the server does about the client's bytes.
    enum Reading: CaseIterable { case hasNoHandler, isPaused }

    @Test(
        "A reset at the end of the handshake ends a connection that does not receive",
        arguments: Reading.allCases, [false, true])
    func resetAfterHandshake(reading: Reading, hasBytes: Bool) throws {
        let (near, wire) = Wire.tcpPair()
        let connection = try Connection(
            adopting: near, label: "server", tls: TLSContext(serverConfiguration()))
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        if reading == .isPaused {
            connection.setReceiveHandler { _, _ in }
            connection.pauseReceiving()
        }
        connection.activate()
        let (engine, last) = try shakeHands(wire)
        // The server finds the reset when it sends its tickets.
        let mayGoOn = Gate()
        connection.queue.async { mayGoOn.pass() }
        wire.send(last)
        if hasBytes {
            var output: [UInt8] = []
            try [1].withUnsafeBytes { try engine.send($0, output: &output) }
            wire.send(output)
        }
        wire.abort()
        mayGoOn.open()
        // Bytes that it might still receive keep it, until it sends.
        if hasBytes {
            #expect(
                poll {
                    connection.send([1])
                    return connection.queue.sync { connection.state } != .active
                })
        }
        guard case .failed = closed.wait() else {
            Issue.record("\(String(describing: closed.wait()))")
            return
        }
    }

    private func failure(_ closed: Outcome<CloseReason>) -> TLSFailure? {
        let reason = closed.wait()
        guard case .tlsFailed(let failure) = reason else {
            Issue.record("\(String(describing: reason))")
            return nil
        }
        return failure
    }

    @Test("Plain text is refused with a reason")
    func plainText() throws {
        let (wire, _, closed) = try makeServer()
        #expect(wire.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)))
        #expect(failure(closed)?.description.contains("plain HTTP") == true)
        let (other, _, otherClosed) = try makeServer()
        #expect(other.send(patterned(5000)))
        #expect(failure(otherClosed) != nil)
        #expect(other.receive(1).isEmpty)
    }

    enum Use: CaseIterable { case send, receive, leave }

    @Test("A task that sends, receives or returns learns why TLS failed", arguments: Use.allCases)
    func tasks(use: Use) async throws {
        let (wire, connection) = makeNewConnection()
        try connection.secure(with: TLSContext(clientConfiguration()), serverName: "localhost")
        let isActive = Gate()
        let task = ownTask {
            try await connection.run { server async throws in
                isActive.open()
                switch use {
                case .send: try await server.send(patterned(1_000_000))
                case .receive: _ = try await server.receive()
                case .leave: server.connection.send([1])
                }
            }
        }
        if use == .leave {
            // Until then, the connection belongs to the task.
            expectOpens(isActive)
            #expect(poll { connection.queue.sync { connection.state } == .closing })
        }
        #expect(wire.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        let error = await #expect(throws: ReceiveError.self) { try await task.value }
        guard case .closed(.tlsFailed(let failure)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.error != nil)
    }

    @Test("A peer that stalls in the handshake times out")
    func stall() throws {
        var options = ConnectionOptions()
        options.timeouts.handshake = .milliseconds(80)
        // Bytes that wait for the handshake do not wait for the kernel.
        options.timeouts.send = .milliseconds(10)
        let (descriptor, wire) = Wire.pair()
        let connection = try Connection(
            adopting: descriptor, options: options, tls: TLSContext(serverConfiguration()))
        let closed = Outcome<CloseReason>()
        let sent = Outcome<SocketError?>()
        connection.setCloseHandler { closed.set($1) }
        connection.send([1]) { sent.set($0) }
        // The beginning of a record.
        #expect(wire.send([22, 3, 1]))
        connection.activate()
        #expect(closed.wait() == .timedOut(.handshake))
        #expect(sent.wait()??.code == .timedOut)
    }

    @Test("The time-out of the handshake is on by default, and off after it")
    func stallByDefault() throws {
        let (wire, connection, closed) = try makeServer(ConnectionOptions())
        let isLimited = { connection.queue.sync { connection.confined.clock?.timer != nil } }
        #expect(poll { isLimited() })
        let engine = try connectEngine(wire)
        #expect(poll { !isLimited() })
        withExtendedLifetime(engine) { wire.close() }
        _ = closed.wait()
    }

    @Test("A closure of the handshake may end the connection", arguments: [false, true])
    func endedInside(isAbort: Bool) throws {
        let (descriptor, wire) = Wire.pair()
        let ending = Watched<Connection?>(nil)
        var configuration = clientConfiguration()
        configuration.trustRoots = .custom { _, _ in
            guard let connection = ending.value else { return false }
            if isAbort { connection.abort() } else { connection.close() }
            return true
        }
        let connection = try Connection(
            adopting: descriptor, label: "client", tls: TLSContext(configuration),
            serverName: "localhost")
        let closed = Outcome<CloseReason>()
        connection.setCloseHandler { closed.set($1) }
        ending.update { $0 = connection }
        connection.send([1, 2, 3])
        connection.activate()
        let server = try Connection(
            adopting: dup(wire.descriptor), label: "server", tls: TLSContext(serverConfiguration()))
        let serverClosed = Outcome<CloseReason>()
        let received = Watched<[UInt8]>([])
        server.setReceiveHandler { _, bytes in
            bytes.withUnsafeBytes { bytes in received.update { $0 += bytes } }
        }
        server.setCloseHandler { serverClosed.set($1) }
        server.activate()
        wire.close()
        #expect(closed.wait() == (isAbort ? .aborted : .closed))
        #expect(serverClosed.wait() != nil)
        #expect(received.value == (isAbort ? [] : [1, 2, 3]))
        ending.update { $0 = nil }
    }

    @Test("A peer that closes during the handshake is an error")
    func goneEarly() throws {
        let (wire, _, closed) = try makeServer()
        #expect(wire.send([22, 3, 1]))
        wire.close()
        #expect(failure(closed)?.error?.reason == .truncated)
    }

    @Test("A truncated stream is an error; the bytes before are delivered")
    func truncated() throws {
        let received = Outcome<[UInt8]>()
        let (wire, _, closed) = try makeServer { server in
            server.setReceiveHandler { received.set($1.withUnsafeBytes { Array($0) }) }
        }
        let engine = try connectEngine(wire)
        var output: [UInt8] = []
        try countingBytes(5).withUnsafeBytes { try engine.send($0, output: &output) }
        wire.send(output)
        wire.closeOutput()
        #expect(received.wait() == countingBytes(5))
        #expect(failure(closed)?.error?.reason == .truncated)
    }

    @Test("A certificate for another name is refused, and both sides know why")
    func wrongName() throws {
        let pair = try SecuredPair(serverName: "elsewhere.example")
        pair.server.setReceiveHandler { _, _ in }
        pair.activate()
        #expect(failure(pair.clientClosed)?.error?.reason == .verification(.hostName))
        guard case .peerAlert = failure(pair.serverClosed)?.error?.reason else {
            Issue.record("no alert")
            return
        }
    }

    @Test("A client that does not trust the server, and a server that wants a certificate")
    func wrongTrust() throws {
        var client = clientConfiguration()
        client.trustRoots = TestIdentities.otherAuthority.trust
        let distrustful = try SecuredPair(client: client)
        distrustful.activate()
        #expect(failure(distrustful.clientClosed)?.error?.reason == .verification(.untrusted))
        #expect(failure(distrustful.serverClosed)?.error?.reason == .peerAlert(.unknownAuthority))
        var server = serverConfiguration()
        server.verification = .required
        server.trustRoots = TestIdentities.authority.trust
        let demanding = try SecuredPair(server: server)
        demanding.activate()
        #expect(failure(demanding.serverClosed)?.error?.reason == .verification(.missing))
        // In TLS 1.3 the client's handshake has ended by then.
        _ = Inbox(demanding.client)
        #expect(failure(demanding.clientClosed)?.error?.reason == .peerAlert(.certificateRequired))
    }

    @Test("A flood of handshake bytes is cut off")
    func floods() throws {
        let (wire, _, closed) = try makeServer()
        // A message of 16 MiB, in records of 16 KiB.
        let body = [UInt8](repeating: 0, count: 16_384)
        wire.send([22, 3, 3, 64, 0] + [1, 255, 255, 255] + body.dropLast(4))
        while wire.send([22, 3, 3, 64, 0] + body) {}
        #expect(failure(closed) != nil)
    }

    @Test("A flood of key updates is cut off")
    func keyUpdates() throws {
        let (wire, _, closed) = try makeServer()
        let engine = try connectEngine(wire)
        var output: [UInt8] = []
        while true {
            let isMade =
                SSL_key_update(engine.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1
                && SSL_do_handshake(engine.ssl) == 1
            try #require(isMade)
            swap(&output, &engine.bio.output)
            if !wire.send(output) { break }
            output = []
        }
        #expect(failure(closed)?.description.contains("without content") == true)
    }

    @Test("A reset does not count as close_notify")
    func reset() throws {
        let pair = try SecuredPair()
        let ready = Outcome<Bool>()
        pair.server.setHandshakeHandler { _, _ in ready.set(true) }
        pair.server.setReceiveHandler { _, _ in }
        pair.client.setReceiveHandler { _, _ in }
        pair.activate()
        #expect(ready.wait() == true)
        pair.client.abort()
        #expect(pair.clientClosed.wait() == .aborted)
        let reason = pair.serverClosed.wait()
        #expect(reason != .ended && reason != nil)
    }

    @Test("secure after activate, or twice, is a mistake")
    func misuse() async {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let (descriptor, wire) = Wire.pair()
            let connection = Connection(adopting: descriptor)
            connection.activate()
            try connection.secure(with: TLSContext(serverConfiguration()))
            wire.close()
        }
        expectMessage(result, naming: "secure of connection")
    }

    @Test("A handshake handler of a connection that a task has is a mistake")
    func handlerInTask() async {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            let pair = try SecuredPair()
            pair.server.activate()
            try await pair.client.run { client in
                client.connection.setHandshakeHandler { _, _ in }
            }
        }
        expectMessage(result, naming: "use the methods of AsyncConnection")
    }
}
#endif
