#if TLS
import Glibc
import RingDispatch
import RingNetwork
import RingTLS
import Testing

@Suite("Connections over TLS", .watchdog)
struct TLSConnectionTests {
    @Test("Bytes of all sizes are echoed in order", arguments: [TLSVersion.tls12, .tls13])
    func echo(version: TLSVersion) throws {
        var configuration = clientConfiguration()
        configuration.maximumVersion = version
        let pair = try SecuredPair(client: configuration)
        pair.server.setReceiveHandler { $0.send($1) }
        let received = Inbox(pair.client)
        pair.activate()
        var size = 1
        while size < 300_000 {
            for count in [size - 1, size, size + 1] where count > 0 {
                let bytes = patterned(count, seed: size)
                pair.client.send(bytes, completion: nil)
                expectSame(received.receive(exactly: count), bytes)
            }
            size *= 4
        }
        let negotiation = pair.client.queue.sync { pair.client.tlsNegotiation }
        #expect(negotiation?.version == version)
        pair.client.closeOutput()
        #expect(received.receiveAll() == [])
        #expect(pair.serverClosed.wait() == .ended)
        pair.client.close()
        #expect(pair.clientClosed.wait() == .closed)
    }

    @Test("Short answers join the batches of their event loop")
    func batched() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let pair = try SecuredPair()
            pair.server.setReceiveHandler { $0.send($1) }
            let received = Inbox(pair.client)
            pair.activate()
            // Handlers that take longer than 50 µs send at once, as all do under a sanitizer.
            let mayBatch =
                DispatchRuntime.snapshot().backend == "io_uring" && !isThreadSanitized
                && !isAddressSanitized
            let isBatched = poll {
                pair.client.send(countingBytes(100))
                expectSame(received.receive(exactly: 100), countingBytes(100))
                return !mayBatch
                    || DispatchRuntime.snapshot().loops.contains { $0.batchedSends > 0 }
            }
            #expect(isBatched)
        }
    }

    @Test("Bytes sent before the end of the handshake count as unsent, and are sent after it")
    func early() throws {
        let pair = try SecuredPair()
        let sent = Outcome<SocketError?>()
        let received = Outcome<[UInt8]>()
        var all: [UInt8] = []
        pair.server.setReceiveHandler { _, span in
            span.withUnsafeBytes { all += Array($0) }
            if all.count == 1003 { received.set(all) }
        }
        pair.client.setReceiveHandler { _, _ in }
        pair.client.send([1, 2, 3], completion: nil)
        pair.client.send(copied(countingBytes(1000))) {
            sent.set($0)
        }
        #expect(pair.client.unsentBytes == 1003)
        pair.activate()
        #expect(received.wait() == [1, 2, 3] + countingBytes(1000))
        #expect(sent.wait() == .some(nil))
        pair.close()
    }

    @Test("close before the end of the handshake still sends all bytes, and close_notify")
    func closeEarly() throws {
        let pair = try SecuredPair()
        let received = Inbox(pair.server)
        pair.client.send(patterned(200_000), completion: nil)
        pair.activate()
        pair.client.close()
        expectSame(received.receiveAll(), patterned(200_000))
        #expect(pair.clientClosed.wait() == .closed)
        pair.server.close()
        #expect(pair.serverClosed.wait() == .closed)
    }

    @Test("A receive handler that is set after the peer has left gets all bytes")
    func lateReceive() throws {
        for _ in 0..<30 {
            let pair = try SecuredPair()
            pair.client.send(patterned(1000), completion: nil)
            pair.activate()
            pair.client.close()
            #expect(pair.clientClosed.wait() == .closed)
            pair.server.queue.sync {}
            expectSame(Inbox(pair.server).receiveAll(), patterned(1000))
            pair.server.close()
            #expect(pair.serverClosed.wait() == .closed)
        }
    }

    @Test("A megabyte each way at once, with a reader that is slow, and water marks")
    func bothWays() async throws {
        var options = ConnectionOptions()
        options.sendHighWaterBytes = 20_000
        options.sendLowWaterBytes = 5000
        options.pausesReceivingWhileUnwritable = false
        let pair = try SecuredPair(options: options)
        let up = patterned(1 << 20, seed: 1)
        let down = patterned(1 << 20, seed: 2)
        async let received = pair.client.run { client in
            client.connection.send(up, completion: nil)
            var received: [UInt8] = []
            while received.count < down.count {
                received += try await client.receive() ?? []
                if received.count % 5 == 0 { letTimePass(milliseconds: 1) }
            }
            return received
        }
        let other = try await pair.server.run { server in
            // Waits until the peer has taken nearly all.
            try await server.send(down)
            return try await server.receive(exactly: up.count)
        }
        expectSame(other, up)
        expectSame(try await received, down)
    }

    @Test(
        "Spans have all bytes, in order, in slices of the given size", arguments: [1000, Int.max])
    func spans(maximum: Int) async throws {
        var options = ConnectionOptions()
        options.receiveMaximumBytes = maximum
        options.pausesReceivingWhileUnwritable = false
        let pair = try SecuredPair(options: options)
        let bytes = patterned(1 << 20, seed: 1)
        async let echoed = pair.client.run { client in
            client.connection.send(bytes, completion: nil)
            return try await client.receive(exactly: bytes.count)
        }
        try await pair.server.run { server in
            while try await server.receive({
                #expect($0.byteCount <= maximum)
                server.connection.send($0)
            }) {}
        }
        expectSame(try await echoed, bytes)
    }

    @Test("closeOutput sends close_notify; the other direction stays open")
    func halfClose() throws {
        let pair = try SecuredPair()
        let (client, server) = (Inbox(pair.client), Inbox(pair.server))
        pair.activate()
        pair.client.send([1], completion: nil)
        pair.client.closeOutput()
        #expect(server.receiveAll() == [1])
        pair.server.send(patterned(100_000), completion: nil)
        pair.server.close()
        expectSame(client.receiveAll(), patterned(100_000))
        pair.client.close()
        #expect(pair.clientClosed.wait() == .closed)
        #expect(pair.serverClosed.wait() == .closed)
    }

    @Test("Protocol, name and certificates are known when the handshake handler is called")
    func negotiation() throws {
        var client = clientConfiguration()
        var server = serverConfiguration()
        client.applicationProtocols = ["h2", "echo"]
        server.applicationProtocols = ["echo", "h2"]
        client.identity = TestIdentities.client.identity
        server.verification = .required
        server.trustRoots = TestIdentities.authority.trust
        let pair = try SecuredPair(client: client, server: server)
        let atServer = Outcome<TLSNegotiation>()
        let shown = Outcome<[UInt8]?>()
        let atClient = Outcome<TLSNegotiation>()
        pair.server.setHandshakeHandler { connection, negotiation in
            shown.set(connection.peerCertificateChain.first)
            atServer.set(negotiation)
        }
        pair.client.setHandlers(
            ConnectionHandlers(
                close: { [clientClosed = pair.clientClosed] in clientClosed.set($1) },
                handshake: { atClient.set($1) }))
        #expect(pair.client.tlsNegotiation == nil)
        pair.activate()
        let negotiation = atServer.wait()
        #expect(negotiation?.applicationProtocol == "echo")
        #expect(negotiation?.serverName == "localhost")
        #expect(negotiation?.version == .tls13)
        #expect(negotiation?.cipher.isEmpty == false)
        #expect(shown.wait() == TestIdentities.client.der)
        #expect(atClient.wait()?.applicationProtocol == "echo")
        pair.close()
    }

    @Test("A pause keeps decrypted bytes, followed by the end")
    func pause() throws {
        let pair = try SecuredPair()
        let received = Outcome<[UInt8]>()
        let all = Watched<[UInt8]>([])
        pair.server.setReceiveHandler { connection, span in
            span.withUnsafeBytes { bytes in all.update { $0 += bytes } }
            connection.pauseReceiving()
            connection.queue.async { connection.resumeReceiving() }
        }
        pair.server.setEndHandler {
            received.set(all.value)
            $0.close()
        }
        let bytes = patterned(500_000)
        pair.client.send(bytes, completion: nil)
        pair.client.closeOutput()
        pair.activate()
        expectSame(received.wait(), bytes)
        #expect(pair.serverClosed.wait() == .closed)
        pair.client.close()
        #expect(pair.clientClosed.wait() != nil)
    }

    @Test("Files go out encrypted, in their turn, as the peer takes them")
    func files() throws {
        let folder = Folder()
        let bytes = patterned(1_500_000)
        let path = folder.makeFile("file", bytes)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        let pair = try SecuredPair()
        pair.activate()
        pair.server.send([1], completion: nil)
        pair.server.send(fileDescriptor: file, offset: 10, count: 1_400_000, completion: nil)
        pair.server.send([2], completion: nil)
        close(file)
        let received = Inbox(pair.client)
        #expect(received.receive(exactly: 1) == [1])
        expectSame(received.receive(exactly: 1_400_000), Array(bytes[10..<1_400_010]))
        #expect(received.receive(exactly: 1) == [2])
        let file2 = open(path, O_RDONLY | O_CLOEXEC)
        let sent = Outcome<SocketError?>()
        pair.server.send(fileDescriptor: file2, offset: 1_499_000, count: 2000) { sent.set($0) }
        close(file2)
        #expect(sent.wait()??.code == .noData)
        #expect(pair.serverClosed.wait() != nil)
        pair.client.close()
        #expect(pair.clientClosed.wait() != nil)
    }

    @Test("The queue's other work gets its turn during a long file that the peer takes at once")
    func fileTurns() throws {
        let count = 32 * 1024 * 1024
        let folder = Folder()
        let file = open(folder.makeFile("file", []), O_RDWR | O_CLOEXEC)
        precondition(ftruncate(file, count) == 0, "errno \(errno)")
        let pair = try SecuredPair(overTCP: true)
        let received = Watched(0)
        pair.client.setReceiveHandler { _, span in received.increment(by: span.byteCount) }
        let unsent = Outcome<Int>()
        pair.server.setHandshakeHandler { server, _ in
            server.send(fileDescriptor: file, offset: 0, count: count, completion: nil)
            server.queue.async { unsent.set(server.unsentBytes) }
        }
        pair.activate()
        #expect(unsent.wait() ?? 0 > count / 2)
        expectEventually(received) { $0 == count }
        close(file)
        pair.close()
    }

    @Test("A second connection resumes the session of the first one")
    func resumption() throws {
        let client = try TLSContext(clientConfiguration())
        let server = try TLSContext(serverConfiguration())
        for round in 0..<3 {
            let pair = try SecuredPair(client: client, server: server)
            pair.server.setReceiveHandler { $0.send($1) }
            pair.activate()
            // Session tickets precede the answer.
            pair.client.send([1], completion: nil)
            #expect(Inbox(pair.client).receive(exactly: 1) == [1])
            let isResumed = pair.client.queue.sync { pair.client.tlsNegotiation?.isResumed }
            #expect(isResumed == (round > 0))
            pair.close()
        }
    }

    @Test("An idle secured connection is closed with close_notify")
    func idle() throws {
        let pair = try SecuredPair()
        pair.client.setHandshakeHandler { client, _ in
            var timeouts = ConnectionTimeouts()
            timeouts.idle = .milliseconds(300)
            client.setTimeouts(timeouts)
        }
        let received = Inbox(pair.server)
        pair.activate()
        #expect(received.receiveAll() == [])
        #expect(pair.clientClosed.wait() == .timedOut(.idle))
        pair.server.close()
        #expect(pair.serverClosed.wait() == .closed)
    }
}
#endif
