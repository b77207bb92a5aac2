import Glibc
import RingDispatch
import RingNetwork
import Testing

@Suite("Connectors", .watchdog)
struct ConnectorTests {
    private func host(_ endpoint: Endpoint) throws -> Endpoint {
        try Endpoint(host: "server.test", port: #require(endpoint.port))
    }

    @Test("A client connects to an address, and the connection is not activated")
    func address() throws {
        let listener = try makeEchoListener()
        let connection = try Connector.shared.connection(to: listener.endpoint)
        #expect(connection.state == .setup)
        #expect(connection.remoteEndpoint == listener.endpoint)
        #expect(Client(connection).echoes(patterned(100_000)))
        connection.close()
        stop(listener)
    }

    @Test("A connection keeps its endpoints after the close, when another has its descriptor")
    func endpointsStay() throws {
        let (first, second) = (try makeEchoListener(), try makeEchoListener())
        let connection = try Connector.shared.connection(to: first.endpoint)
        let local = try #require(connection.localEndpoint)
        let closed = Gate()
        connection.setCloseHandler { _, _ in closed.open() }
        connection.activate()
        connection.abort()
        expectOpens(closed)
        let other = try Connector.shared.connection(to: second.endpoint)
        #expect(connection.remoteEndpoint == first.endpoint)
        #expect(connection.localEndpoint == local)
        #expect(other.remoteEndpoint == second.endpoint)
        other.close()
        stop(first)
        stop(second)
    }

    @Test("An address that refuses is followed by the next one at once")
    func refused() throws {
        let listener = try makeEchoListener()
        let connector = Connector {
            $0.attemptDelay = .never
            $0.resolver = makeResolver([
                .ipv4(IPv4Address(127, 0, 0, 9), port: 0),
                .ipv4(IPv4Address(127, 0, 0, 8), port: 0), .ipv4(.loopback, port: 0),
            ])
        }
        let target = try Endpoint(host: "server.test", port: listener.port)
        try connector.expectEcho(from: target, at: listener.endpoint)
        stop(listener)
    }

    @Test("An address that does not answer is followed by the next one after the delay")
    func silent() throws {
        let (silent, listener) = try #require(makeServersOnOnePort())
        let connector = Connector {
            $0.attemptDelay = .milliseconds(20)
            $0.resolver = makeResolver([silent.endpoint, listener.endpoint])
        }
        try connector.expectEcho(from: host(listener.endpoint), at: listener.endpoint)
        stop(listener)
    }

    /// A silent server and one that answers, at two addresses with the same port. The kernel picks
    /// the silent one's port; another program may have it at the other address, hence the loop.
    private func makeServersOnOnePort() -> (silent: Blackhole, listener: Listener)? {
        for _ in 0..<100 {
            let silent = Blackhole(IPv4Address(127, 0, 0, 9))
            guard let port = silent.endpoint.port,
                let listener = try? makeEchoListener(.ipv4(.loopback, port: port))
            else { continue }
            return (silent, listener)
        }
        return nil
    }

    @Test("When all attempts fail, each is reported with a remedy")
    func allFail() throws {
        var options = ConnectorOptions()
        // The attempts are reported in the order in which they ended.
        options.attemptDelay = .never
        options.resolver = makeResolver([
            .ipv4(IPv4Address(127, 0, 0, 9), port: 0), .ipv4(IPv4Address(127, 0, 0, 8), port: 0),
        ])
        let error = try #require(
            Connector(options: options).error(of: Endpoint("server.test:1")))
        guard case .allFailed = error.reason else { throw error }
        #expect(error.attempts.map(\.cause.code) == [.connectionRefused, .connectionRefused])
        #expect(
            error.attempts.map(\.endpoint.description) == ["127.0.0.9:1", "127.0.0.8:1"])
        #expect("\(error)".contains("nobody listens there"))
    }

    @Test("A name that is not found is the error")
    func unresolved() throws {
        let connector = Connector { $0.resolver = makeResolver([]) }
        let error = try #require(connector.error(of: Endpoint("server.test:1")))
        guard case .unresolved(let cause) = error.reason else { throw error }
        #expect(cause.reason == .notFound)
    }

    @Test("The time-out ends everything, and reports the attempts in progress")
    func timeout() throws {
        let silent = Blackhole(IPv4Address(127, 0, 0, 10))
        let connector = Connector { $0.timeout = .milliseconds(50) }
        let error = try #require(connector.error(of: silent.endpoint))
        guard case .timedOut = error.reason else { throw error }
        #expect(error.attempts.map(\.endpoint) == [silent.endpoint])
        #expect(error.attempts.first?.cause.code == .timedOut)
    }

    @Test("A time-out of 0 ends the attempt, although the server is near")
    func noTime() throws {
        let listener = try makeEchoListener()
        let connector = Connector { $0.timeout = .seconds(0) }
        let error = try #require(connector.error(of: listener.endpoint))
        guard case .timedOut = error.reason else { throw error }
        #expect(error.attempts.isEmpty)
        stop(listener)
    }

    @Test("The time-out counts the lookup, too")
    func slowLookup() throws {
        let gate = Gate()
        defer { gate.open() }
        var options = ConnectorOptions()
        options.timeout = .milliseconds(50)
        options.resolver = Resolver(lookupLimit: 1) { _ in
            gate.pass()
            return []
        }
        let error = try #require(
            Connector(options: options).error(of: Endpoint("server.test:1")))
        guard case .timedOut = error.reason else { throw error }
        #expect(error.attempts.isEmpty)
    }

    @Test("Cancelling has an effect at most once, and none after the end")
    func cancel() throws {
        let silent = Blackhole(IPv4Address(127, 0, 0, 11))
        let outcome = Outcome<Result<Connection, ConnectError>>()
        let calls = Watched(0)
        let pending = Connector.shared.connect(to: silent.endpoint, queue: .global()) { result in
            calls.increment()
            outcome.set(result)
        }
        pending.cancel()
        pending.cancel()
        guard case .failure(let error) = outcome.wait() else {
            Issue.record("connected")
            return
        }
        guard case .cancelled = error.reason else { throw error }
        pending.cancel()
        expectStays(calls, at: 1)
    }

    @Test("A task waits for a connection, and cancellation ends the wait")
    func tasks() async throws {
        let listener = try makeEchoListener()
        let connection = try await Connector.shared.connect(to: listener.endpoint)
        #expect(Client(connection).echoes([7]))
        connection.close()
        stop(listener)
        let silent = Blackhole(IPv4Address(127, 0, 0, 12))
        let target = silent.endpoint
        let task = ownTask { try await Connector.shared.connect(to: target) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Many connect at once")
    func many() throws {
        let listener = try makeEchoListener()
        let clients = Watched<[Client]>([])
        for _ in 0..<200 {
            Connector.shared.connect(to: listener.endpoint, queue: .global()) { result in
                if case .success(let connection) = result { clients.append(Client(connection)) }
            }
        }
        expectEventually(clients) { $0.count == 200 }
        for (index, client) in clients.value.enumerated() {
            #expect(client.echoes(patterned(100, seed: index)))
            client.connection.close()
        }
        stop(listener)
    }
}
