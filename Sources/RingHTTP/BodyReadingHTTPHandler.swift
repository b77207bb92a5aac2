#if FlyingFox
public import FlyingFox

/// Answers requests with a closure, and reads each body to its end, whatever the closure leaves.
///
/// FlyingFox itself takes the rest of a chunked body, or of one above 2 MiB, for the connection's
/// next request. This handler closes the connection instead if it cannot reach the end of the body:
/// more than 2 MiB are left, or the body is malformed or late. If the client still sends when the
/// answer is sent, the handler first discards that for up to 5 s: a close would reset the
/// connection, and the client could lose the answer.
///
/// Make the server with `sharedRequestReplaySize: 0`. Otherwise it waits, before it sends a late
/// answer, for the rest of a body of up to 2 MiB.
///
/// The closure reads the body that it is given, not `request.bodySequence`. Its errors are answered
/// with status 500. HEAD reaches it as GET; the answer is then sent without its body.
public struct BodyReadingHTTPHandler: HTTPHandler {
    private let limit: Duration
    private let respond: @Sendable (HTTPRequest, HTTPRequestBody) async throws -> HTTPResponse

    /// - Parameters:
    ///   - limit: how long a request with a body may take; then its task is cancelled, and answered
    ///     with status 408. The first 4 KiB are not counted: FlyingFox has them before it calls the
    ///     handler. The server's `timeout` must be longer, by the time that the closure may take to
    ///     end when it is cancelled: after that, the rest of the body is taken for a request.
    ///   - respond: called in a task for each request.
    public init(
        limit: Duration = .seconds(10),
        _ respond: @escaping @Sendable (HTTPRequest, HTTPRequestBody) async throws -> HTTPResponse
    ) {
        self.limit = limit
        self.respond = respond
    }

    /// Answers the request with the closure. FlyingFox calls this, in the connection's task.
    public func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.bodySequence.count != 0 else { return await response(to: request) }
        return await withLimit(limit) { await response(to: request) }
    }

    private func response(to request: HTTPRequest) async -> HTTPResponse {
        var (request, isHead) = (request, request.method == .HEAD)
        if isHead { request.method = .GET }
        let body = HTTPRequestBody(request)
        var response: HTTPResponse
        do {
            response = try await respond(request, body)
        } catch {
            response = HTTPResponse(
                statusCode: Task.isCancelled ? .requestTimeout : .internalServerError)
        }
        if isHead { response = response.withoutBody() }
        return await body.skipRest() ? response : response.closing(after: body)
    }
}
#endif
