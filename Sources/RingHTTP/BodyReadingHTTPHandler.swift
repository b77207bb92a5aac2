#if FlyingFox
public import FlyingFox
internal import LinuxPlatform

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
/// The closure reads the body that it is given, not `request.bodySequence`. HEAD reaches it as GET;
/// the answer is then sent without its body.
///
/// An error of the closure is answered with status 500, and reported. Some errors are no fault of
/// the server, and are only answered: 400 if the body could not be read to its end, 404 for
/// FlyingFox's `HTTPUnhandledError` (no route matches), 408 if the request's task is cancelled.
public struct BodyReadingHTTPHandler: HTTPHandler {
    private let limit: Duration
    private let onError: (@Sendable (HTTPRequest, any Error) -> Void)?
    private let failure = RepeatedLine()
    private let respond: @Sendable (HTTPRequest, HTTPRequestBody) async throws -> HTTPResponse

    /// - Parameters:
    ///   - limit: how long a request with a body may take; then its task is cancelled, and answered
    ///     with status 408. The first 4 KiB are not counted: FlyingFox has them before it calls the
    ///     handler. The server's `timeout` must be longer, by the time that the closure may take to
    ///     end when it is cancelled: after that, the rest of the body is taken for a request.
    ///   - onError: called with each error of `respond` that is answered with status 500, in the
    ///     request's task, before the answer is sent. Nil: a line names the request and the error,
    ///     at most once a second, on standard error or in the logger that the program has given
    ///     to `DispatchRuntime.setLogger`.
    ///   - respond: called in a task for each request.
    public init(
        limit: Duration = .seconds(10),
        onError: (@Sendable (HTTPRequest, any Error) -> Void)? = nil,
        _ respond: @escaping @Sendable (HTTPRequest, HTTPRequestBody) async throws -> HTTPResponse
    ) {
        self.limit = limit
        self.onError = onError
        self.respond = respond
    }

    /// Answers the request with the closure. FlyingFox calls this, in the connection's task.
    public func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.bodySequence.count != 0 else { return await response(to: request) }
        return await withLimit(limit) { await response(to: request) }
    }

    private func response(to original: HTTPRequest) async -> HTTPResponse {
        var (request, isHead) = (original, original.method == .HEAD)
        if isHead { request.method = .GET }
        let body = HTTPRequestBody(request)
        var response: HTTPResponse
        do {
            response = try await respond(request, body)
        } catch {
            response = HTTPResponse(statusCode: status(for: error, of: original, body))
        }
        if isHead { response = response.withoutBody() }
        return await body.skipRest() ? response : response.closing(after: body)
    }

    /// The status that answers an error of the closure, which is reported if nothing else is to
    /// blame for it.
    private func status(
        for error: any Error, of request: HTTPRequest, _ body: HTTPRequestBody
    ) -> HTTPStatusCode {
        if Task.isCancelled { return .requestTimeout }
        if error is HTTPUnhandledError { return .notFound }
        if body.hasFailed(with: error) { return .badRequest }
        if let onError {
            onError(request, error)
        } else {
            failure.log(BodyReadingHTTPHandler.line(request, error))
        }
        return .internalServerError
    }

    /// Shortened, because FlyingFox does not limit a request's line.
    private static func line(_ request: HTTPRequest, _ error: any Error) -> String {
        let request = String(shown: "\(request.method.rawValue) \(request.path)".utf8.prefix(200))
        return "\(request) was answered with status 500: "
            + String(shown: "\(error)".utf8.prefix(1000))
    }
}
#endif
