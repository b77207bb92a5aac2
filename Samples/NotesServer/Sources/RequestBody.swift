import FlyingFox
import FlyingSocks
import Foundation

/// A request's body, read once and to its end. FlyingFox would take what is left of a long or
/// chunked body for the next request.
final class RequestBody {
    private var pieces: HTTPBodySequence.Iterator
    private let length: Int?
    private var received = 0
    /// False while a piece is read, and once that has failed.
    private var isIntact = true
    /// Most bytes that are read only to keep the connection.
    private static let mostSkipped = 2 << 20

    init(_ request: HTTPRequest) {
        pieces = request.bodySequence.makeAsyncIterator()
        length = request.bodySequence.count
    }

    /// The next piece; nil at the end.
    /// - Throws: also if the body ends early.
    func next() async throws -> Data? {
        isIntact = false
        let piece = try await pieces.next()
        if let piece {
            received += piece.count
        } else {
            // FlyingFox ends the body of a cancelled task like any other.
            try Task.checkCancellation()
            guard received == length ?? received else { throw SocketError.disconnected }
        }
        isIntact = true
        return piece
    }

    /// Reads what is left. Returns false if that is too long or fails; then the connection is of no
    /// more use.
    func skipRest() async -> Bool {
        let end = received + RequestBody.mostSkipped
        while isIntact, received <= end {
            if (try? await next()) == nil { return isIntact }
        }
        return false
    }
}
