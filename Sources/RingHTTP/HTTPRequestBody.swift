#if FlyingFox
internal import FlyingFox
internal import FlyingSocks
public import Foundation

/// The body of a request, for the closure of a ``BodyReadingHTTPHandler``. One task at a time may
/// use it.
public final class HTTPRequestBody {
    /// The length that the request states; nil for a chunked body.
    public let count: Int?
    private var pieces: HTTPBodySequence.Iterator
    private var received = 0
    /// Whether all of it was read.
    private var hasEnded = false
    /// False while a piece is read, and once that has failed.
    private var isIntact = true
    /// Why the body could not be read; nil if that has not failed.
    private var failure: (any Error)?
    /// Most bytes that are read only to keep the connection.
    private static let mostSkipped = 2 << 20

    init(_ request: HTTPRequest) {
        count = request.bodySequence.count
        pieces = request.bodySequence.makeAsyncIterator()
    }

    /// Waits for the next piece; nil at the end. FlyingFox chooses the size of the pieces.
    /// - Throws: FlyingSocks' `SocketError`, also if the body ends early; `CancellationError`.
    public func next() async throws -> Data? {
        do { return try await nextPiece() } catch {
            failure = error
            throw error
        }
    }

    private func nextPiece() async throws -> Data? {
        isIntact = false
        let piece = try await pieces.next()
        if let piece {
            received += piece.count
        } else if !hasEnded {
            // FlyingFox ends the body of a cancelled task like any other.
            try Task.checkCancellation()
            guard received == count ?? received else { throw SocketError.disconnected }
        }
        hasEnded = piece == nil || received == count
        isIntact = true
        return piece
    }

    /// Waits for the rest of the body, to its end; nil if that is longer.
    /// - Throws: see ``next()``.
    public func data(atMost limit: Int) async throws -> Data? {
        var data = Data()
        while let piece = try await next() {
            guard data.count + piece.count <= limit else { return nil }
            data += piece
        }
        return data
    }

    /// Whether this may be the error of a read; it is not if the closure went on and then failed
    /// for another reason.
    func hasFailed(with error: any Error) -> Bool {
        failure.map { type(of: $0) == type(of: error) } ?? false
    }

    /// Reads what is left. Returns false if that is too long or fails; then the connection is of no
    /// more use.
    func skipRest() async -> Bool {
        let end = received + HTTPRequestBody.mostSkipped
        while isIntact, !hasEnded, received <= end { _ = try? await next() }
        return hasEnded && received <= end
    }

    /// Reads what is left, and drops it, until the task is cancelled. A late body can go on.
    func discardRest() async {
        while !hasEnded, (try? await next()) != nil {}
    }
}
#endif
