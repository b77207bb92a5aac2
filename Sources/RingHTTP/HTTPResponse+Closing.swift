#if FlyingFox
internal import FlyingFox
internal import FlyingSocks
internal import Foundation

extension HTTPResponse {
    /// How long the rest of a request is discarded after its answer.
    private static let discardLimit = Duration.seconds(5)

    /// The same response, after which the connection is closed. One without a length cannot close
    /// it; status 400 takes its place.
    ///
    /// If the kernel closes a connection with unread bytes, it resets it, and the client may lose
    /// the answer (RFC 9112, 9.6). So the rest of the request is discarded first.
    func closing(after request: HTTPRequestBody) -> HTTPResponse {
        guard case .httpBody(let body) = payload else { return self }
        guard let length = body.count else {
            return HTTPResponse(statusCode: .badRequest).closing(after: request)
        }
        // Safety: the closure that answers the request has returned.
        nonisolated(unsafe) let request = request
        let failing = FailingAtEnd(body: body) {
            await withLimit(HTTPResponse.discardLimit) { await request.discardRest() }
        }
        return with(HTTPBodySequence(from: failing, count: length), "close")
    }

    /// The response to a HEAD request.
    func withoutBody() -> HTTPResponse {
        guard case .httpBody(let body) = payload else { return self }
        guard let length = body.count else {
            // Without the failure, FlyingFox would send the mark that ends a chunked body.
            let nothing = FailingAtEnd(body: HTTPBodySequence())
            return with(HTTPBodySequence(from: nothing), "close")
        }
        var response = with(HTTPBodySequence(), headers[.connection])
        response.headers[.contentLength] = String(length)
        return response
    }

    private func with(_ body: HTTPBodySequence, _ connection: String?) -> HTTPResponse {
        var response = self
        response.headers[.connection] = connection
        response.payload = .httpBody(body)
        return response
    }
}

/// A body that fails once all of it is sent. FlyingFox then closes the connection; there is no
/// other way to have that done.
private struct FailingAtEnd: AsyncBufferedSequence {
    typealias Element = UInt8
    let body: HTTPBodySequence
    /// Called before the failure.
    var atEnd: @Sendable () async -> Void = {}

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var pieces: HTTPBodySequence.Iterator
        let atEnd: @Sendable () async -> Void
        mutating func next() async throws -> UInt8? { nil }
        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            if let piece = try await pieces.next() { return piece }
            await atEnd()
            throw SocketError.disconnected
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), atEnd: atEnd)
    }
}
#endif
