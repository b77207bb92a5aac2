#if TLS
import Glibc
import RingDispatch
import RingNetwork
import RingTLS
import Testing

/// A client's and a server's connection over TLS, in one process. Both start after their handlers
/// are set.
final class SecuredPair: Sendable {
    let client: Connection
    let server: Connection
    let clientClosed = Outcome<CloseReason>()
    let serverClosed = Outcome<CloseReason>()

    init(
        client clientContext: TLSContext, server serverContext: TLSContext,
        serverName: String? = "localhost", options: ConnectionOptions = ConnectionOptions(),
        overTCP: Bool = false
    ) throws {
        let (near, wire) = overTCP ? Wire.tcpPair() : Wire.pair()
        let far = fcntl(wire.descriptor, F_DUPFD_CLOEXEC, 0)
        precondition(far >= 0, "errno \(errno)")
        client = try Connection(
            adopting: near, label: "client", options: options, tls: clientContext,
            serverName: serverName)
        server = try Connection(
            adopting: far, label: "server", options: options, tls: serverContext)
        client.setCloseHandler { [clientClosed] in clientClosed.set($1) }
        server.setCloseHandler { [serverClosed] in serverClosed.set($1) }
    }

    convenience init(
        client: TLSConfiguration = clientConfiguration(),
        server: TLSConfiguration = serverConfiguration(), serverName: String? = "localhost",
        options: ConnectionOptions = ConnectionOptions(), overTCP: Bool = false
    ) throws {
        try self.init(
            client: TLSContext(client), server: TLSContext(server), serverName: serverName,
            options: options, overTCP: overTCP)
    }

    func activate() {
        server.activate()
        client.activate()
    }

    /// For tests that are about something else: no connection is left open.
    func close() {
        client.close()
        _ = clientClosed.wait()
        server.close()
        _ = serverClosed.wait()
    }
}

extension ConnectionOptions {
    /// With a longer limit of the handshake, if it is the default one. On a busy machine, the two
    /// sides may start at very different times.
    var withPatientHandshake: ConnectionOptions {
        var options = self
        if timeouts.handshake == ConnectionTimeouts().handshake {
            options.timeouts.handshake = .seconds(Patience.seconds)
        }
        return options
    }
}

extension ListenerOptions {
    /// Uses TLS, with time for a handshake on a busy machine.
    mutating func secure(_ store: TLSContextStore) {
        tls = store
        connection = connection.withPatientHandshake
    }
}

extension Connection {
    convenience init(
        adopting descriptor: Int32, label: String = "connection",
        options: ConnectionOptions = ConnectionOptions(), tls: TLSContext,
        serverName: String? = nil
    ) throws {
        self.init(adopting: descriptor, label: label, options: options.withPatientHandshake)
        try secure(with: tls, serverName: serverName)
    }
}
#endif
