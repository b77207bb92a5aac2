import Glibc
import RingDispatch
import RingNetwork
import Testing

extension Listener {
    convenience init(
        _ endpoint: Endpoint, _ configure: (inout ListenerOptions) -> Void
    ) throws {
        var options = ListenerOptions()
        configure(&options)
        try self.init(endpoint, options: options)
    }

    var port: UInt16 { endpoint.port ?? 0 }
}

/// A listener that echoes.
func makeEchoListener(
    _ endpoint: Endpoint = .ipv4(.loopback, port: 0),
    _ configure: (inout ListenerOptions) -> Void = { _ in }
) throws -> Listener {
    let listener = try Listener(endpoint, configure)
    serveEcho(listener)
    return listener
}

/// An active listener.
/// - Parameter handler: prepares each connection, which echoes otherwise.
func makeListener(
    _ configure: (inout ListenerOptions) -> Void = { _ in },
    handler: @escaping @Sendable (Connection) -> Void
) throws -> Listener {
    let listener = try Listener(.ipv4(.loopback, port: 0), configure)
    serveEcho(listener, handler)
    return listener
}

func serveEcho(_ listener: Listener, _ prepare: @escaping @Sendable (Connection) -> Void = { _ in })
{
    listener.setConnectionHandler { connection in
        connection.setReceiveHandler { $0.send($1) }
        prepare(connection)
        connection.activate()
    }
    listener.activate()
}

func stop(_ listener: Listener, sourceLocation: SourceLocation = #_sourceLocation) {
    let stopped = Outcome<Bool>()
    listener.close { _ in stopped.set(true) }
    #expect(stopped.wait(sourceLocation: sourceLocation) == true, sourceLocation: sourceLocation)
}

func shutdown(
    _ listener: Listener, after interval: DispatchTimeInterval
) -> Outcome<ShutdownReport> {
    let outcome = Outcome<ShutdownReport>()
    listener.shutdown(deadline: .now() + interval) { outcome.set($0) }
    return outcome
}

/// A client that collects received bytes.
final class Client: @unchecked Sendable {
    // Safety: `received` is Watched; the rest is immutable.
    let connection: Connection
    let received = Watched<[UInt8]>([])
    let closed = Outcome<CloseReason>()

    init(_ connection: Connection) {
        self.connection = connection
        connection.setReceiveHandler { [received] _, span in
            span.withUnsafeBytes { bytes in received.update { $0.append(contentsOf: bytes) } }
        }
        connection.setCloseHandler { [closed] in closed.set($1) }
        connection.activate()
    }

    /// Whether the bytes are echoed.
    func echoes(_ bytes: [UInt8]) -> Bool {
        received.update { $0 = [] }
        connection.send(bytes)
        return received.wait(seconds: Patience.seconds) { $0.count >= bytes.count }
            && received.value == bytes
    }
}

extension Connector {
    convenience init(_ configure: (inout ConnectorOptions) -> Void) {
        var options = ConnectorOptions()
        configure(&options)
        self.init(options: options)
    }

    /// Connects and blocks: not for threads that run tasks.
    func result(of endpoint: Endpoint) -> Result<Connection, ConnectError>? {
        let outcome = Outcome<Result<Connection, ConnectError>>()
        connect(to: endpoint, queue: .global()) { outcome.set($0) }
        return outcome.wait()
    }

    func connection(to endpoint: Endpoint) throws -> Connection {
        try #require(result(of: endpoint)).get()
    }

    /// Connects, and expects an echo.
    /// - Parameter server: the address of a named endpoint.
    func expectEcho(
        of bytes: [UInt8] = [1], from endpoint: Endpoint, at server: Endpoint? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let connection = try connection(to: endpoint)
        #expect(connection.remoteEndpoint == server ?? endpoint, sourceLocation: sourceLocation)
        #expect(Client(connection).echoes(bytes), sourceLocation: sourceLocation)
        connection.close()
    }

    func error(of endpoint: Endpoint) -> ConnectError? {
        if case .failure(let error) = result(of: endpoint) { error } else { nil }
    }
}

/// A resolver that knows one answer.
func makeResolver(_ endpoints: [Endpoint]) -> Resolver {
    Resolver(lookupLimit: 2) { _ in endpoints.compactMap { try? $0.socketAddress() } }
}

/// A unique path for a socket.
func makeSocketPath() -> String {
    "/tmp/ring-network-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
}

/// An active connection, its peer, and how it will be closed.
func makeConnection(
    _ options: ConnectionOptions = ConnectionOptions(),
    _ configure: (Connection) -> Void = { _ in }
) -> (Wire, Connection, Outcome<CloseReason>) {
    let (descriptor, wire) = Wire.pair()
    let connection = Connection(adopting: descriptor, options: options)
    let closed = Outcome<CloseReason>()
    connection.setCloseHandler { closed.set($1) }
    configure(connection)
    connection.activate()
    return (wire, connection, closed)
}

/// The same with a connection that echoes.
func makeEcho(
    _ options: ConnectionOptions = ConnectionOptions(),
    _ configure: (Connection) -> Void = { _ in }
) -> (Wire, Connection, Outcome<CloseReason>) {
    makeConnection(options) { connection in
        connection.setReceiveHandler { $0.send($1) }
        configure(connection)
    }
}
