internal import RingDispatch
internal import RingNetwork
internal import WireFormats

/// A client of an HTTP server. Runs on its connection's queue.
///
/// Requests are answered one at a time: the next one when the kernel has taken the whole answer.
/// Until then the connection is not writable, and so receives nothing.
final class HTTPClient {
    private var reader = FrameReader(
        DelimiterFraming(Array("\r\n\r\n".utf8), maximumLength: HTTPRequest.headLimit))
    /// The complete heads of the last receive that have no answer yet.
    private var heads: [[UInt8]] = []
    private var isHeadTooLarge = false
    private var hasEnded = false
    /// The last answer was sent, or the handler has taken the connection over.
    private var isDone = false
    private let reserved: ReservedPlaces?
    private let handler: HTTPService.Handler

    private init(_ reserved: ReservedPlaces?, _ handler: @escaping HTTPService.Handler) {
        self.reserved = reserved
        self.handler = handler
    }

    /// - Parameter reserved: where the connection is listed if it is one of the last free ones.
    static func serve(
        _ connection: Connection, in reserved: ReservedPlaces?,
        _ handler: @escaping HTTPService.Handler
    ) {
        let client = HTTPClient(reserved, handler)
        reserved?.add(connection)
        connection.setHandlers(
            ConnectionHandlers(
                receive: { connection, bytes in client.receive(bytes, connection) },
                end: { connection in
                    client.hasEnded = true
                    client.answer(connection)
                },
                writable: { client.answer($0) },
                close: { connection, _ in client.reserved?.remove(connection) }))
        // The client has to speak first.
        connection.isInMessage = true
        connection.activate()
    }

    private func receive(_ bytes: RawSpan, _ connection: Connection) {
        do {
            try reader.receive(bytes) { head in
                var head = head.withUnsafeBytes { Array($0) }
                // An empty line before the request is ignored. RFC 9112, 2.2.
                if head.starts(with: "\r\n".utf8) { head.removeFirst(2) }
                heads.append(head)
            }
        } catch {
            isHeadTooLarge = true
        }
        connection.isInMessage = reader.unfinishedByteCount > 0
        answer(connection)
    }

    private func answer(_ connection: Connection) {
        var count = 0
        while count < heads.count, mayAnswer(connection) {
            respond(to: HTTPRequest(head: heads[count]), connection)
            count += 1
        }
        heads.removeFirst(count)
        guard heads.isEmpty, mayAnswer(connection) else { return }
        if isHeadTooLarge { end(connection, HTTPResponse(.headTooLarge), to: nil) }
        if hasEnded { connection.close() }
    }

    private func mayAnswer(_ connection: Connection) -> Bool {
        connection.state == .active && connection.isWritable && !isDone
    }

    private func respond(to request: HTTPRequest?, _ connection: Connection) {
        reserved?.remove(connection)
        guard let request else { return end(connection, HTTPResponse(.badRequest), to: nil) }
        guard request.method == "GET" || request.method == "HEAD" else {
            let response = HTTPResponse(.methodNotAllowed, fields: "Allow: GET, HEAD\r\n")
            return end(connection, response, to: request)
        }
        guard reserved == nil || HTTPLimits.vitalPaths.contains(request.path) else {
            return end(connection, Self.overload, to: request)
        }
        guard let response = handler(request, connection) else {
            isDone = true
            connection.isInMessage = false
            return
        }
        guard request.keepsAlive && reserved == nil else {
            return end(connection, response, to: request)
        }
        connection.send(response.bytes(keepsAlive: true, hasBody: request.method == "GET"))
    }

    private static let overload = HTTPResponse(
        .unavailable,
        "Too many connections are open. Close some, or try again: only "
            + HTTPLimits.vitalPaths.joined(separator: " and ") + " are answered now.\n")

    /// Sends the last answer, and closes. Unread bytes are discarded first, unless it is one of the
    /// last free connections, which are too scarce for that.
    private func end(_ connection: Connection, _ response: HTTPResponse, to request: HTTPRequest?) {
        isDone = true
        connection.isInMessage = false
        connection.send(response.bytes(keepsAlive: false, hasBody: request?.method != "HEAD"))
        guard request?.hasBody ?? true, reserved == nil, !hasEnded else {
            return connection.close()
        }
        connection.closeDiscarding()
    }
}
