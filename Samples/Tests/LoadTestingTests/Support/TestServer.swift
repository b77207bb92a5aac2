import RingDispatch
import RingNetwork
#if TLS
import RingTLS
#endif

/// A server in the test's own process. Connections share a queue, so that a handler may keep state.
final class TestServer: @unchecked Sendable {
    // Safety: `listener` is immutable; the handlers' state belongs to the connections'
    // queue.
    let listener: Listener
    let endpoint: Endpoint

    /// - Parameter serve: sets a connection's handlers, on its queue, before it is activated.
    convenience init(
        _ endpoint: Endpoint = .ipv4(.loopback, port: 0),
        serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        try self.init(endpoint, ListenerOptions(), serve)
    }

    #if TLS
    convenience init(
        tls: TLSContextStore, serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        var options = ListenerOptions()
        options.tls = tls
        try self.init(.ipv4(.loopback, port: 0), options, serve)
    }
    #endif

    private init(
        _ endpoint: Endpoint, _ options: ListenerOptions,
        _ serve: @escaping @Sendable (Connection) -> Void
    ) throws {
        var options = options
        options.placement = ConnectionPlacement(queue: DispatchQueue(label: "test-server"))
        listener = try Listener(endpoint, options: options)
        self.endpoint = listener.endpoint
        listener.setConnectionHandler { connection in
            serve(connection)
            connection.activate()
        }
        listener.activate()
    }

    deinit { listener.close() }

    var acceptedConnections: Int { listener.queue.sync { listener.acceptedConnections } }

    /// A correct echo server.
    static func echo() throws -> TestServer {
        try TestServer { connection in connection.setReceiveHandler { $0.send($1) } }
    }

    /// A server that answers with other bytes. `answer` receives the bytes as they arrive.
    static func answering(
        _ answer: @escaping @Sendable (Connection, [UInt8]) -> Void
    ) throws -> TestServer {
        try TestServer { connection in
            connection.setReceiveHandler { connection, span in
                answer(connection, span.withUnsafeBytes { Array($0) })
            }
        }
    }
}

/// An echo server that reads but does not answer for at least 300 ms after its 80th message.
final class StoppingServer: @unchecked Sendable {
    // Safety: only `queue`, which all connections share, touches the state.
    private let queue = DispatchQueue(label: "stopping-server")
    private let listener: Listener
    private var receives = 0
    private var isStopped = false
    private var held: [(Connection, [UInt8])] = []
    private var length: UInt64?

    init() throws {
        var options = ListenerOptions()
        options.placement = ConnectionPlacement(queue: queue)
        listener = try Listener(.ipv4(.loopback, port: 0), options: options)
        listener.setConnectionHandler { [unowned self] connection in
            connection.setReceiveHandler { [unowned self] connection, span in
                receives += 1
                if receives == 80 { stop() }
                if isStopped {
                    held.append((connection, span.withUnsafeBytes { Array($0) }))
                } else {
                    connection.send(span)
                }
            }
            connection.activate()
        }
        listener.activate()
    }

    deinit { listener.close() }

    var endpoint: Endpoint { listener.endpoint }

    /// The actual length of the stop, which a busy machine prolongs; nil before its end.
    var stopNanoseconds: UInt64? { queue.sync { length } }

    private func stop() {
        isStopped = true
        let begin = DispatchTime.now().uptimeNanoseconds
        queue.asyncAfter(deadline: .now() + .milliseconds(300)) { [weak self] in
            guard let self else { return }
            isStopped = false
            length = DispatchTime.now().uptimeNanoseconds - begin
            for (connection, bytes) in held { connection.send(bytes) }
            held = []
        }
    }
}
