import RingDispatch
import RingNetwork

#if TLS
import RingTLS
import TestSupport
#endif

/// A connection that is not activated, and its peer.
func makeNewConnection(
    _ options: ConnectionOptions = ConnectionOptions()
) -> (Wire, Connection) {
    let (descriptor, wire) = Wire.pair()
    return (wire, Connection(adopting: descriptor, options: options))
}

/// Sends and then ends the stream, on a thread of its own.
/// - Parameter pieces: the number of bytes per send.
@discardableResult
func feed(_ wire: Wire, _ bytes: [UInt8], pieces: Int = .max) -> UserThread {
    UserThread {
        var rest = bytes[...]
        while !rest.isEmpty {
            wire.send(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        wire.closeOutput()
    }
}

/// A listener that is not activated.
func makeAsyncListener(
    _ configure: (inout ListenerOptions) -> Void = { _ in }
) throws -> Listener {
    try Listener(.ipv4(.loopback, port: 0), configure)
}

#if TLS
/// A client that accepts the tests' server, whatever its address.
func makeSecuredConnector() throws -> Connector {
    let tls = try TLSContext(clientConfiguration())
    return Connector {
        $0.tls = tls
        $0.connection = $0.connection.withPatientHandshake
        $0.tlsServerName = "localhost"
    }
}
#endif

/// The echo server, in the form that copies nothing.
@Sendable
func echoSpans(_ client: AsyncConnection) async throws {
    while try await client.receive({ client.connection.send($0) }) {}
}

/// The same with arrays.
@Sendable
func echoArrays(_ client: AsyncConnection) async throws {
    for try await bytes in client.inbound { try await client.send(bytes) }
}
