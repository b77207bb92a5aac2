#if FlyingFox
public import FlyingFox
internal import FlyingSocks
public import Foundation

extension HTTPBodySequence {
    /// A body of unknown length, such as server-sent events. Each piece is sent as it comes, and
    /// the stream's end ends the body. Empty pieces are left out.
    public init(pieces: AsyncStream<Data>) { self.init(from: Pieces(stream: pieces)) }
}

/// The pieces as FlyingFox wants a body.
private struct Pieces: AsyncBufferedSequence {
    typealias Element = UInt8
    let stream: AsyncStream<Data>

    struct AsyncIterator: AsyncBufferedIteratorProtocol {
        var pieces: AsyncStream<Data>.AsyncIterator

        /// FlyingFox asks for whole pieces.
        mutating func next() async -> UInt8? { nil }

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            while let piece = await pieces.next() {
                // FlyingFox would take it for the end.
                if !piece.isEmpty { return piece }
            }
            // The stream ends for a cancelled task, too, but the body does not.
            try Task.checkCancellation()
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: stream.makeAsyncIterator()) }
}
#endif
