package import RingDispatch
package import RingNetwork
package import WireFormats

/// An HTTP/1.1 server of GET and HEAD for metrics and health checks. Not for the open Internet.
package final class HTTPService: Sendable {
    private let listener: Listener
    private let handler: @Sendable (HTTPRequest, Connection) -> HTTPAnswer

    /// Limits are safe for browsers and metrics collectors: both reconnect after a close.
    private static let connectionLimit = 256
    private static let idleSeconds = 60

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
    ///   takes the connection over, it replaces the connection's handlers.
    package init(
        _ endpoint: Endpoint,
        handler: @escaping @Sendable (HTTPRequest, Connection) -> HTTPAnswer
    ) throws {
        var options = ListenerOptions()
        options.connectionLimit = Self.connectionLimit
        options.connection.timeouts.idle = .seconds(Self.idleSeconds)
        listener = try Listener(endpoint, options: options)
        self.handler = handler
    }

    package var endpoint: Endpoint { listener.endpoint }

    package func activate() {
        listener.setConnectionHandler { [handler] in HTTPClient.serve($0, handler) }
        listener.activate()
    }

    /// - Parameter completion: called when all connections are closed.
    package func shutdown(
        deadline: DispatchTime, completion: @escaping @Sendable () -> Void = {}
    ) {
        listener.shutdown(deadline: deadline) { _ in completion() }
    }
}

/// One client. Runs on its connection's queue.
private final class HTTPClient {
    private var reader = FrameReader(
        DelimiterFraming(Array("\r\n\r\n".utf8), maximumLength: HTTPRequest.headLimit))
    private let handler: (HTTPRequest, Connection) -> HTTPAnswer
    private var isTakenOver = false

    private init(_ handler: @escaping (HTTPRequest, Connection) -> HTTPAnswer) {
        self.handler = handler
    }

    static func serve(
        _ connection: Connection, _ handler: @escaping (HTTPRequest, Connection) -> HTTPAnswer
    ) {
        let client = HTTPClient(handler)
        connection.setReceiveHandler { connection, bytes in client.receive(bytes, connection) }
        connection.activate()
    }

    private func receive(_ bytes: RawSpan, _ connection: Connection) {
        do {
            try reader.receive(bytes) { head in
                respond(to: HTTPRequest(head: head.withUnsafeBytes { Array($0) }), connection)
            }
        } catch {
            close(connection, .headTooLarge)
        }
    }

    private func respond(to request: HTTPRequest?, _ connection: Connection) {
        guard connection.state == .active, !isTakenOver else { return }
        guard let request else { return close(connection, .badRequest) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return close(connection, .methodNotAllowed)
        }
        guard case .response(let response) = handler(request, connection) else {
            isTakenOver = true
            return
        }
        connection.send(
            response.bytes(
                keepsAlive: request.keepsAlive, hasBody: request.method == "GET"))
        if !request.keepsAlive { connection.close() }
    }

    private func close(_ connection: Connection, _ status: HTTPResponse.Status) {
        guard connection.state == .active, !isTakenOver else { return }
        connection.send(HTTPResponse(status).bytes(keepsAlive: false, hasBody: true))
        connection.close()
    }
}
