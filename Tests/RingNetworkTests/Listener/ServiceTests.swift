#if ServiceLifecycle
import Glibc
import Logging
import RingDispatch
import RingNetwork
import ServiceLifecycle
import TestSupport
import Testing

@Suite("Services", .watchdog)
struct ServiceTests {
    private func group(_ service: some Service) -> ServiceGroup {
        ServiceGroup(services: [service], logger: Logger(label: "test"))
    }

    private let asked = Gate()
    private let proceed = Gate()
    private let drainTime = Duration.seconds(Patience.seconds)

    /// Shuts a service down while its listener's handler, which opens `asked` and passes `proceed`,
    /// has a request, and expects the answer.
    private func expectAnswer(of service: some Service, on port: UInt16) async throws {
        let group = group(service)
        let run = ownTask { try await group.run() }
        let wire = Wire.connect(to: port)
        #expect(wire.send([1, 2, 3]))
        expectOpens(asked)
        await group.triggerGracefulShutdown()
        expectRefusal(port)
        proceed.open()
        #expect(wire.receive(3) == [1, 2, 3])
        #expect(wire.receiveEnd() == 0)
        try await run.value
    }

    @Test("A graceful shutdown answers the request in flight and refuses new clients")
    func listener() async throws {
        let listener = try Listener(.ipv4(.loopback, port: 0))
        listener.setConnectionHandler { connection in
            connection.setReceiveHandler { [asked, proceed] connection, bytes in
                asked.open()
                proceed.pass()
                connection.send(bytes)
            }
            connection.activate()
        }
        try await expectAnswer(of: listener.service(drainTime: drainTime), on: listener.port)
    }

    @Test("Cancelling a listener's service aborts connections that do not drain at once")
    func cancelledListener() async throws {
        let listener = try makeListener { connection in connection.setDrainHandler { _ in } }
        let run = ownTask { try await listener.service().run() }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        run.cancel()
        #expect(wire.receiveEnd() == ECONNRESET)
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("A graceful shutdown lets a task answer the request in flight, and ends its next wait")
    func tasks() async throws {
        let listener = try makeAsyncListener()
        let service = listener.service(drainTime: drainTime) { [asked, proceed] client in
            while let bytes = try await client.receive() {
                asked.open()
                proceed.pass()
                try await client.send(bytes)
            }
        }
        try await expectAnswer(of: service, on: listener.port)
    }

    @Test("A task that takes longer than the time for draining is cancelled")
    func slowTasks() async throws {
        let listener = try makeAsyncListener()
        let group = group(
            listener.service(drainTime: .milliseconds(50)) { client in
                try await client.send([1])
                try await Task.sleep(for: .seconds(3600))
            })
        let run = ownTask { try await group.run() }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.receive(1) == [1])
        await group.triggerGracefulShutdown()
        #expect(wire.receiveEnd() == ECONNRESET)
        try await run.value
    }

    @Test("Cancelling a service of tasks resets its connections")
    func cancelledTasks() async throws {
        let listener = try makeAsyncListener()
        let run = ownTask { try await listener.service { try await echoArrays($0) }.run() }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        run.cancel()
        #expect(wire.receiveEnd() == ECONNRESET)
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("A service of tasks ends when its listener was closed and its last client has left")
    func closedListener() async throws {
        let listener = try makeAsyncListener()
        let run = ownTask { try await listener.service { try await echoArrays($0) }.run() }
        let wire = Wire.connect(to: listener.port)
        #expect(wire.echoes([1]))
        listener.close()
        #expect(wire.echoes([2]))
        wire.close()
        try await run.value
    }

    @Test("A datagram socket is closed by a graceful shutdown")
    func datagrams() async throws {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
        let closed = Gate()
        socket.setCloseHandler { _, error in
            #expect(error == nil)
            closed.open()
        }
        let group = group(socket.service())
        let run = ownTask { try await group.run() }
        await group.triggerGracefulShutdown()
        expectOpens(closed)
        try await run.value
    }

    @Test("A graceful shutdown lets a datagram socket's handler finish, and sends its answer")
    func datagramInHand() async throws {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
        let (closed, isShuttingDown) = (Gate(), Gate())
        socket.setReceiveHandler { [asked, proceed] socket, batch in
            asked.open()
            proceed.pass()
            batch.forEach { socket.reply($1, to: $0) }
        }
        socket.setCloseHandler { [proceed] _, error in
            #expect(proceed.wasOpened && error == nil)
            closed.open()
        }
        let group = group(Announced(service: socket.service(), isShuttingDown: isShuttingDown))
        let run = ownTask { try await group.run() }
        let client = PlainDatagrams()
        client.send([1, 2, 3], to: socket.port)
        expectOpens(asked)
        await group.triggerGracefulShutdown()
        expectOpens(isShuttingDown)
        proceed.open()
        #expect(client.receive() == [1, 2, 3])
        expectOpens(closed)
        try await run.value
    }
}

/// A service that opens a gate when its graceful shutdown begins.
private struct Announced<Wrapped: Service>: Service {
    let service: Wrapped
    let isShuttingDown: Gate

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await service.run()
        } onGracefulShutdown: {
            isShuttingDown.open()
        }
    }
}

/// Waits until new clients are refused.
private func expectRefusal(_ port: UInt16) {
    let isRefused = poll {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return tryToConnect(descriptor, to: port) != 0
    }
    #expect(isRefused)
}

/// Returns 0 or an errno.
private func tryToConnect(_ descriptor: Int32, to port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeBytes(of: &address) { bytes in
        let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
        return Glibc.connect(descriptor, pointer, size) == 0 ? 0 : errno
    }
}
#endif
