package import RingDispatch
package import RingNetwork

/// Answers GET and HEAD over HTTP/1.1: for figures and health checks, not for the open Internet.
package final class HTTPService: Sendable {
    private let listener: Listener
    private let answer: @Sendable (String) -> HTTPResponse?

    /// Browsers and collectors come back; so many are there at once, and so long without a request.
    private static let connectionLimit = 256
    private static let idleSeconds = 60

    /// Begins to listen.
    /// - Parameter answer: called with a path, on the queue of the client's connection; nil: there
    ///   is nothing there.
    package init(
        _ endpoint: Endpoint, answer: @escaping @Sendable (String) -> HTTPResponse?
    ) throws {
        var options = ListenerOptions()
        options.connectionLimit = Self.connectionLimit
        options.connection.timeouts.idle = .seconds(Self.idleSeconds)
        listener = try Listener(endpoint, options: options)
        self.answer = answer
    }

    package var endpoint: Endpoint { listener.endpoint }

    package func activate() {
        listener.setConnectionHandler { [answer] in HTTPClient.serve($0, answer) }
        listener.activate()
    }

    package func shutdown(deadline: DispatchTime) { listener.shutdown(deadline: deadline) }
}

/// One client. Confined to its connection's queue.
private final class HTTPClient {
    private var reader = FrameReader(
        DelimiterFraming(Array("\r\n\r\n".utf8), maximumLength: HTTPRequest.headLimit))
    private let answer: (String) -> HTTPResponse?

    private init(_ answer: @escaping (String) -> HTTPResponse?) { self.answer = answer }

    static func serve(_ connection: Connection, _ answer: @escaping (String) -> HTTPResponse?) {
        let client = HTTPClient(answer)
        connection.setReceiveHandler { connection, bytes in client.receive(bytes, connection) }
        connection.activate()
    }

    private func receive(_ bytes: RawSpan, _ connection: Connection) {
        do {
            try reader.receive(bytes) { head in
                let text = head.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                respond(to: HTTPRequest(head: text), connection)
            }
        } catch {
            close(connection, .headTooLarge)
        }
    }

    private func respond(to request: HTTPRequest?, _ connection: Connection) {
        guard connection.state == .active else { return }
        guard let request else { return close(connection, .badRequest) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return close(connection, .methodNotAllowed)
        }
        let response = answer(request.path) ?? HTTPResponse(.notFound)
        connection.send(
            response.bytes(
                keepsAlive: request.keepsAlive, hasBody: request.method == "GET"))
        if !request.keepsAlive { connection.close() }
    }

    private func close(_ connection: Connection, _ status: HTTPResponse.Status) {
        guard connection.state == .active else { return }
        connection.send(HTTPResponse(status).bytes(keepsAlive: false, hasBody: true))
        connection.close()
    }
}
