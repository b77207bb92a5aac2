internal import RingNetwork
internal import WireFormats

/// A client of an HTTP server. Runs on its connection's queue.
///
/// Requests are answered one at a time: the next one when the kernel has taken the whole answer.
/// Until then the connection is not writable, and so receives nothing.
final class HTTPClient {
    typealias Handler = @Sendable (HTTPRequest, Connection) -> HTTPAnswer

    private var reader = FrameReader(
        DelimiterFraming(Array("\r\n\r\n".utf8), maximumLength: HTTPRequest.headLimit))
    /// The complete heads of the last receive that have no answer yet.
    private var heads: [[UInt8]] = []
    private var isHeadTooLarge = false
    private var hasEnded = false
    private var isTakenOver = false
    private let reserved: ReservedPlaces?
    private let handler: Handler

    private init(_ reserved: ReservedPlaces?, _ handler: @escaping Handler) {
        self.reserved = reserved
        self.handler = handler
    }

    /// - Parameter reserved: where the connection is listed if it is one of the last free ones.
    static func serve(
        _ connection: Connection, in reserved: ReservedPlaces?, _ handler: @escaping Handler
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
            try reader.receive(bytes) { head in heads.append(head.withUnsafeBytes { Array($0) }) }
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
        if isHeadTooLarge { close(connection, HTTPResponse(.headTooLarge)) }
        if hasEnded { connection.close() }
    }

    private func mayAnswer(_ connection: Connection) -> Bool {
        connection.state == .active && connection.isWritable && !isTakenOver
    }

    private func respond(to request: HTTPRequest?, _ connection: Connection) {
        reserved?.remove(connection)
        guard let request else { return close(connection, HTTPResponse(.badRequest)) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return close(connection, HTTPResponse(.methodNotAllowed))
        }
        guard reserved == nil || HTTPLimits.vitalPaths.contains(request.path) else {
            return close(connection, Self.overload)
        }
        guard case .response(let response) = handler(request, connection) else {
            isTakenOver = true
            connection.isInMessage = false
            return
        }
        let keepsAlive = request.keepsAlive && reserved == nil
        connection.send(response.bytes(keepsAlive: keepsAlive, hasBody: request.method == "GET"))
        if !keepsAlive { connection.close() }
    }

    private static let overload = HTTPResponse(
        .unavailable,
        "Too many connections are open. Close some, or try again: only "
            + HTTPLimits.vitalPaths.joined(separator: " and ") + " are answered now.\n")

    private func close(_ connection: Connection, _ response: HTTPResponse) {
        connection.send(response.bytes(keepsAlive: false, hasBody: true))
        connection.close()
    }
}
