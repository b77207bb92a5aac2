#if FlyingFox
import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import RingConcurrency
import RingHTTP
import TestSupport
import Testing

#if ServiceLifecycle
import Logging
import ServiceLifecycle
#endif

@Suite("An HTTP server on the event loops", .watchdog)
struct HTTPServerTests {
    let pool: RingSocketPool
    let server: HTTPServer

    init() throws {
        pool = .ring
        server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 60, pool: pool,
            logger: .disabled)
    }

    /// Starts the server, and returns its port.
    private func start() async throws -> (UInt16, Task<Void, any Error>) {
        try await HTTPServerTests.start(server)
    }

    private static func start(
        _ server: HTTPServer, _ body: (@Sendable () async throws -> Void)? = nil
    ) async throws -> (UInt16, Task<Void, any Error>) {
        let run = Task { if let body { try await body() } else { try await server.run() } }
        try await server.waitUntilListening()
        guard case .ip4(_, let port) = await server.listeningAddress else {
            throw SocketError.unsupportedAddress
        }
        return (port, run)
    }

    /// Its answer waits for a gate.
    private static func addSlowRoute(
        to server: HTTPServer, _ arrived: Gate, _ proceed: Gate
    ) async {
        await server.appendRoute("/slow") { _ in
            arrived.open()
            while !proceed.wasOpened { await Task.yield() }
            return HTTPResponse(statusCode: .ok, body: Data("done".utf8))
        }
    }

    @Test("Requests on connections that stay open are answered, small and large")
    func requests() async throws {
        await server.appendRoute("GET /hello") { _ in
            HTTPResponse(statusCode: .ok, body: Data("hello".utf8))
        }
        await server.appendRoute("POST /count") { request in
            let body = try await request.bodyData
            return HTTPResponse(statusCode: .ok, body: Data("\(body.count)".utf8))
        }
        let (port, run) = try await start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let client = try await TestClient(port: port)
                    for _ in 0..<10 { #expect(try await client.get("/hello") == (200, "hello")) }
                    try await client.send("/count", body: Data(count: 1_000_000))
                    #expect(try await client.receive() == (200, "1000000"))
                    #expect(try await client.get("/missing").status == 404)
                    try client.socket.close()
                }
            }
            try await group.waitForAll()
        }
        run.cancel()
        await #expect(throws: (any Error).self) { try await run.value }
    }

    /// In a process of its own: a child process of another test would inherit the listening socket,
    /// which is then not closed.
    @Test("A stop answers requests in flight, refuses new clients and does not wait for idle ones")
    func stop() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let suite = try HTTPServerTests()
            let (arrived, proceed) = (Gate(), Gate())
            await HTTPServerTests.addSlowRoute(to: suite.server, arrived, proceed)
            let (port, run) = try await suite.start()
            let idle = try await TestClient(port: port)
            #expect(try await idle.get("/missing").status == 404)
            let busy = try await TestClient(port: port)
            try await busy.send("/slow")
            while !arrived.wasOpened { await Task.yield() }
            let stopping = Task { await suite.server.stop(on: suite.pool, drainTime: .forever) }
            await #expect(throws: SocketError.disconnected) { try await idle.socket.read() }
            await #expect(throws: (any Error).self) { try await TestClient(port: port) }
            proceed.open()
            #expect(try await busy.receive() == (200, "done"))
            await stopping.value
            await #expect(throws: (any Error).self) { try await run.value }
        }
    }

    /// In a process of its own: see `stop`.
    @Test("A stop while a client is accepted answers requests in flight")
    func stopWhileAccepting() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let (pool, gates) = (RingSocketPool.ring, AcceptingGates())
            let server = HTTPServer(
                address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 60,
                pool: HesitantPool(pool: pool, gates: gates), logger: .disabled)
            let (arrived, proceed) = (Gate(), Gate())
            await HTTPServerTests.addSlowRoute(to: server, arrived, proceed)
            let (port, run) = try await HTTPServerTests.start(server)
            let busy = try await TestClient(port: port)
            try await busy.send("/slow")
            while !arrived.wasOpened { await Task.yield() }
            gates.isClosed.open()
            let idle = try await TestClient(port: port)
            while !gates.arrived.wasOpened { await Task.yield() }
            let stopping = Task { await server.stop(on: pool, drainTime: .forever) }
            // The stop waits, or has closed the socket.
            for _ in 0..<1000 where await server.listeningAddress != nil { await Task.yield() }
            gates.proceed.open()
            await #expect(throws: SocketError.disconnected) { try await idle.socket.read() }
            proceed.open()
            #expect(try await busy.receive() == (200, "done"))
            await stopping.value
            await #expect(throws: (any Error).self) { try await run.value }
        }
    }

    /// In a process of its own: see `stop`.
    @Test("A stop does not wait for clients that have just connected")
    func stopWithNewClients() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            for _ in 0..<100 {
                let suite = try HTTPServerTests()
                let (port, run) = try await suite.start()
                let client = try await TestClient(port: port)
                await suite.server.stop(on: suite.pool, drainTime: .forever)
                await #expect(throws: (any Error).self) { try await client.socket.read() }
                await #expect(throws: (any Error).self) { try await run.value }
            }
        }
    }

    @Test("A stop on a pool that the server does not use ends the process")
    func stopOnOtherPool() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let suite = try HTTPServerTests()
            _ = try await suite.start()
            await suite.server.stop(on: .ring, drainTime: .forever)
        }
        expectMessage(result, naming: "on a RingSocketPool that it does not use", ".ring")
    }

    /// In a process of its own: see `stop`.
    @Test("A signal stops the server, requests in flight are answered, and the run returns")
    func signal() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let suite = try HTTPServerTests()
            let (arrived, proceed) = (Gate(), Gate())
            await HTTPServerTests.addSlowRoute(to: suite.server, arrived, proceed)
            let (port, run) = try await HTTPServerTests.start(suite.server) {
                try await suite.server.run(
                    on: suite.pool, stoppingOn: SIGINT, SIGTERM, drainTime: .forever)
            }
            let idle = try await TestClient(port: port)
            let busy = try await TestClient(port: port)
            try await busy.send("/slow")
            while !arrived.wasOpened { await Task.yield() }
            kill(getpid(), SIGTERM)
            await #expect(throws: SocketError.disconnected) { try await idle.socket.read() }
            proceed.open()
            #expect(try await busy.receive() == (200, "done"))
            try await run.value
        }
    }

    @Test("A run that nobody stopped throws its error")
    func failedRun() async throws {
        let (_, run) = try await HTTPServerTests.start(server) { [server, pool] in
            try await server.run(on: pool)
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("A second server on a pool does not run, and the first one goes on")
    func secondServer() async throws {
        await server.appendRoute("/hello") { _ in
            HTTPResponse(statusCode: .ok, body: Data("hello".utf8))
        }
        let (port, run) = try await start()
        let other = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), pool: pool,
            logger: .disabled)
        let hasEnded = Gate()
        let otherRun = Task {
            defer { hasEnded.open() }
            try await other.run()
        }
        while await other.listeningAddress == nil, !hasEnded.wasOpened { await Task.yield() }
        otherRun.cancel()
        await #expect { try await otherRun.value } throws: { !($0 is CancellationError) }
        #expect(try await TestClient(port: port).get("/hello") == (200, "hello"))
        run.cancel()
        _ = await run.result
    }

    @Test("An answer in pieces that is cancelled has no end")
    func cancelledPieces() async throws {
        let (pieces, output) = AsyncStream.makeStream(of: Data.self)
        output.yield(Data("piece".utf8))
        await server.appendRoute("/pieces") { _ in
            HTTPResponse(statusCode: .ok, body: HTTPBodySequence(pieces: pieces))
        }
        let (port, run) = try await start()
        let client = try await TestClient(port: port)
        try await client.send("/pieces")
        var answer = ""
        while !answer.hasSuffix("piece\r\n") {
            answer += String(decoding: [try await client.socket.read()], as: UTF8.self)
        }
        run.cancel()
        await #expect(throws: SocketError.disconnected) { try await client.socket.read() }
        _ = await run.result
        output.finish()
    }

    #if ServiceLifecycle
    /// In a process of its own: see `stop`.
    @Test("As a service, the server ends without an error, and answers nothing more")
    func service() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let suite = try HTTPServerTests()
            let server = suite.server
            await server.appendRoute("/hello") { _ in
                HTTPResponse(statusCode: .ok, body: Data("hello".utf8))
            }
            let group = ServiceGroup(
                services: [server.service(on: suite.pool)], logger: Logger(label: "test"))
            let run = Task { try await group.run() }
            try await server.waitUntilListening()
            guard case .ip4(_, let port) = await server.listeningAddress else {
                throw SocketError.unsupportedAddress
            }
            let client = try await TestClient(port: port)
            #expect(try await client.get("/hello") == (200, "hello"))
            await group.triggerGracefulShutdown()
            try await run.value
            await #expect(throws: (any Error).self) { try await client.get("/hello") }
            await #expect(throws: (any Error).self) { try await TestClient(port: port) }
        }
    }

    @Test("A graceful shutdown before the server listens ends it")
    func earlyShutdown() async throws {
        let isStarting = Gate()
        let server = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0),
            pool: LatePool(pool: pool, isStarting: isStarting), logger: .disabled)
        let group = ServiceGroup(
            services: [server.service(on: pool)], logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        while !isStarting.wasOpened { await Task.yield() }
        await group.triggerGracefulShutdown()
        try await run.value
    }
    #endif

    @Test("After `install`, many handlers block and others are answered")
    func blocking() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            #expect(RingConcurrency.install())
            let suite = try HTTPServerTests()
            let many = 50
            let (arrived, proceed) = (Watched(0), BlockingSemaphore())
            await suite.server.appendRoute("/block") { _ in
                arrived.increment()
                proceed.wait()
                return HTTPResponse(statusCode: .ok, body: Data("late".utf8))
            }
            await suite.server.appendRoute("/quick") { _ in
                HTTPResponse(statusCode: .ok, body: Data("quick".utf8))
            }
            let (port, _) = try await suite.start()
            var blocked: [TestClient] = []
            for _ in 0..<many {
                let client = try await TestClient(port: port)
                try await client.send("/block")
                blocked.append(client)
            }
            // Blocks, too.
            expectEventually(arrived) { $0 == many }
            let client = try await TestClient(port: port)
            #expect(try await client.get("/quick") == (200, "quick"))
            for _ in blocked { proceed.signal() }
            for client in blocked { #expect(try await client.receive() == (200, "late")) }
        }
    }
}

extension Duration {
    fileprivate static let forever = Duration.seconds(Int64.max)
}

/// A pool whose waits for clients return late.
private struct HesitantPool: AsyncSocketPool {
    let pool: RingSocketPool
    let gates: AcceptingGates

    func prepare() async throws { try await pool.prepare() }
    func run() async throws { try await pool.run() }
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try await pool.suspendSocket(socket, untilReadyFor: events)
        // A listening socket has no peer.
        guard gates.isClosed.wasOpened, (try? socket.remotePeer()) == nil else { return }
        gates.arrived.open()
        while !gates.proceed.wasOpened { await Task.yield() }
    }
}

/// From when on a pool's waits for clients are late, whether one is, and until when.
private struct AcceptingGates {
    let isClosed = Gate()
    let arrived = Gate()
    let proceed = Gate()
}

#if ServiceLifecycle
/// A pool whose server does not listen before its shutdown begins.
private struct LatePool: AsyncSocketPool {
    let pool: RingSocketPool
    let isStarting: Gate

    func prepare() async throws {
        isStarting.open()
        try await gracefulShutdown()
        // Gives a stop that comes too early the time to do so.
        for _ in 0..<100 { await Task.yield() }
        try await pool.prepare()
    }
    func run() async throws { try await pool.run() }
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
#endif

/// POSIX's semaphore, which blocks its thread.
private final class BlockingSemaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    func wait() { while sem_wait(semaphore) != 0 {} }
    func signal() { sem_post(semaphore) }
}
#endif
