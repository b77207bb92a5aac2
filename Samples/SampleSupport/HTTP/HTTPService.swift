internal import Glibc
package import RingDispatch
package import RingNetwork
package import WireFormats

/// An HTTP/1.1 server of GET and HEAD for metrics and health checks. Not for the open Internet.
package final class HTTPService: Sendable {
    private let listener: Listener
    /// Answers a request, on the queue of the client's connection. With nil it takes the connection
    /// over: it has replaced all of the connection's handlers, sends the response and closes.
    package typealias Handler = @Sendable (HTTPRequest, Connection) -> HTTPResponse?

    private let handler: Handler
    private let reserved = ReservedPlaces()

    /// - Parameter patience: how long a client may send a request, or read an answer, more slowly
    ///   than the minimum rates.
    package init(
        _ endpoint: Endpoint, patience: TimeSpan = TimeSpan(seconds: 20),
        handler: @escaping Handler
    ) throws {
        var options = ListenerOptions()
        options.connectionLimit = HTTPLimits.connections
        options.connection.timeouts = HTTPLimits.timeouts(patience: patience)
        // Nothing more is received, or answered, while any bytes of an answer are unsent.
        options.connection.sendHighWaterBytes = 0
        options.connection.sendLowWaterBytes = 0
        options.socket.prepare = { descriptor in
            var size = Int32(HTTPLimits.sendBufferBytes)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(4))
        }
        listener = try Listener(endpoint, options: options)
        self.handler = handler
    }

    package var endpoint: Endpoint { listener.endpoint }

    package func activate() {
        listener.setConnectionHandler { [unowned listener, handler, reserved] connection in
            // The new connection is not among them yet.
            let free = HTTPLimits.connections - listener.connections.count - 1
            let isReserved = free < HTTPLimits.reservedConnections
            HTTPClient.serve(connection, in: isReserved ? reserved : nil, handler)
            if free == 0 { reserved.makeRoom() }
        }
        listener.activate()
    }

    /// - Parameter completion: called when all connections are closed.
    package func shutdown(
        deadline: DispatchTime, completion: @escaping @Sendable () -> Void = {}
    ) {
        listener.shutdown(deadline: deadline) { _ in completion() }
    }
}
