/// The frames that a connection receives.
///
/// Ends when the peer has ended its stream, or the listener shuts down, between two frames. Throws
/// ``FrameError`` if the stream ends within one, the framing's error if a frame breaks its rules,
/// and ``ReceiveError`` and `CancellationError`, as all calls that receive. Bytes after the last
/// frame that you took stay: you may go on with other such calls.
public struct InboundFrames<F: Framing>: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    let connection: AsyncConnection
    let framing: F

    public func makeAsyncIterator() -> Iterator {
        Iterator(connection: connection, reader: FrameReader(framing))
    }

    /// Takes the frames. All iterators share the connection: a frame goes to one of them.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let connection: AsyncConnection
        /// Never keeps bytes: the connection does.
        var reader: FrameReader<F>

        public mutating func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
            try await connection.receiveFrame(&reader)
        }
    }
}

extension AsyncConnection {
    /// The received frames. A frame is copied twice: into memory of the connection, at most the
    /// framing's limit and 64 KiB, and into its array.
    public func frames<F: Framing>(of framing: F) -> InboundFrames<F> {
        InboundFrames(connection: self, framing: framing)
    }
}
