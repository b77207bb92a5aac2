internal import Glibc
package import RingDispatch
package import RingNetwork
package import WireFormats

/// An HTTP/1.1 server of GET and HEAD for metrics and health checks. Not for the open Internet.
package final class HTTPService: Sendable {
    private let listener: Listener
    private let handler: @Sendable (HTTPRequest, Connection) -> HTTPAnswer
    private let reserved = ReservedPlaces()

    /// - Parameter answer: called with the path, on the queue of the client's connection; nil means
    ///   404.
    package convenience init(
        _ endpoint: Endpoint, answer: @escaping @Sendable (String) -> HTTPResponse?
    ) throws {
        try self.init(endpoint) { request, _ in
            .response(answer(request.path) ?? HTTPResponse(.notFound))
        }
    }

    /// - Parameter handler: called with the request, on the queue of the client's connection. If it
    ///   takes the connection over, it replaces all of the connection's handlers.
    package init(
        _ endpoint: Endpoint, limits: HTTPLimits = HTTPLimits(),
        handler: @escaping @Sendable (HTTPRequest, Connection) -> HTTPAnswer
    ) throws {
        var options = ListenerOptions()
        options.connectionLimit = HTTPLimits.connections
        options.connection.timeouts = limits.timeouts
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
            let free = HTTPLimits.connections - listener.connections.count
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
