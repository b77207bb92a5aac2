import RingDispatch
import RingNetwork
import Testing

@Suite("Connections that share a queue and an event loop", .watchdog)
struct ConnectorPlacementTests {
    /// A connection whose placement the tests share. Its queue is its own.
    private func makeFirst(_ listener: Listener) throws -> Client {
        Client(try Connector.shared.connection(to: listener.endpoint))
    }

    /// Connects on the queue of the client, as a proxy does.
    private func connect(
        to endpoint: Endpoint, besides client: Client, _ connector: Connector = .shared
    ) -> Outcome<Result<Connection, ConnectError>> {
        let outcome = Outcome<Result<Connection, ConnectError>>()
        let connection = client.connection
        connection.queue.async {
            connector.connect(to: endpoint, on: connection.placement) { result in
                dispatchPrecondition(condition: .onQueue(connection.queue))
                outcome.set(result)
            }
        }
        return outcome
    }

    @Test("The connection has the placement of the other, and the completion its queue")
    func shared() throws {
        let listener = try makeEchoListener()
        // More clients than there are event loops, so that the loops differ.
        let clients = try (0..<8).map { _ in try makeFirst(listener) }
        for client in clients {
            let result = try #require(connect(to: listener.endpoint, besides: client).wait())
            let second = try result.get()
            #expect(second.queue === client.connection.queue)
            let loops = [client.connection, second].map(\.placement.loopNumber)
            #expect(loops[0] != nil && loops[0] == loops[1])
            let other = Client(second)
            #expect(other.echoes(patterned(100_000)))
            #expect(client.echoes(patterned(1000)))
            other.connection.close()
            client.connection.close()
        }
        stop(listener)
    }

    @Test("It takes precedence over the connector's own placement")
    func precedence() throws {
        let listener = try makeEchoListener()
        let client = try makeFirst(listener)
        let connector = Connector {
            $0.placement = ConnectionPlacement(queue: DispatchQueue(label: "other"))
        }
        let outcome = connect(to: listener.endpoint, besides: client, connector)
        let second = try #require(outcome.wait()).get()
        #expect(second.queue === client.connection.queue)
        second.close()
        // The connector is as before.
        let own = try connector.connection(to: listener.endpoint)
        #expect(own.queue.label == "other")
        own.close()
        client.connection.close()
        stop(listener)
    }

    @Test("Handlers of both run one at a time, and a message is forwarded without a lock")
    func forwarding() throws {
        let server = try makeEchoListener()
        let connected = Watched(0)
        let proxy = try Listener(.ipv4(.loopback, port: 0))
        let target = server.endpoint
        proxy.setConnectionHandler { client in
            client.activate()
            client.queue.async {
                let connector = Connector.shared
                connector.connect(to: target, on: client.placement) { result in
                    guard case .success(let upstream) = result else { return client.abort() }
                    connected.increment()
                    client.setReceiveHandler { upstream.send($1) }
                    client.setEndHandler { _ in upstream.closeOutput() }
                    upstream.setReceiveHandler { client.send($1) }
                    upstream.setEndHandler { _ in client.close() }
                    upstream.activate()
                }
            }
        }
        proxy.activate()
        let clients = try (0..<20).map { _ in try makeFirst(proxy) }
        for (index, client) in clients.enumerated() {
            for size in [1, 4096, 300_000] {
                #expect(client.echoes(patterned(size, seed: index)))
            }
        }
        #expect(connected.value == clients.count)
        for client in clients {
            client.connection.closeOutput()
            #expect(client.closed.wait() == .ended)
        }
        stop(proxy)
        stop(server)
    }

    @Test("A closed connection still has its queue and its event loop to share")
    func closed() throws {
        let listener = try makeEchoListener()
        let client = try makeFirst(listener)
        client.connection.abort()
        #expect(client.closed.wait() == .aborted)
        let result = try #require(connect(to: listener.endpoint, besides: client).wait())
        let second = try result.get()
        #expect(second.queue === client.connection.queue)
        let loops = [client.connection, second].map(\.placement.loopNumber)
        #expect(loops[0] != nil && loops[0] == loops[1])
        #expect(Client(second).echoes([1, 2, 3]))
        second.close()
        stop(listener)
    }

    @Test("An error is reported on the queue")
    func failure() throws {
        let listener = try makeEchoListener()
        let client = try makeFirst(listener)
        let nobody = try Endpoint("127.0.0.9:1")
        let result = try #require(connect(to: nobody, besides: client).wait())
        guard case .failure(let error) = result, case .allFailed = error.reason else {
            Issue.record("\(result)")
            return
        }
        #expect(client.echoes([1]))
        client.connection.close()
        stop(listener)
    }
}
