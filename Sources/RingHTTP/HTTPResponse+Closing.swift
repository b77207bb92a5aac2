#if FlyingFox
internal import FlyingFox
internal import FlyingSocks
internal import Foundation

extension HTTPResponse {
    /// The same response, after which the connection is closed. One without a length cannot close
    /// it; status 400 takes its place.
    func closing() -> HTTPResponse {
        guard case .httpBody(let body) = payload else { return self }
        guard let length = body.count else {
            return HTTPResponse(statusCode: .badRequest).closing()
        }
        return with(HTTPBodySequence(from: FailingAtEnd(body: body), count: length), "close")
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

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var pieces: HTTPBodySequence.Iterator
        mutating func next() async throws -> UInt8? { nil }
        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            guard let piece = try await pieces.next() else { throw SocketError.disconnected }
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: body.makeAsyncIterator()) }
}
#endif
