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
        Iterator(connection: connection, framing: framing, reader: FrameReader(framing))
    }

    /// Takes the frames. All iterators share the connection: a frame goes to one of them.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let connection: AsyncConnection
        let framing: F
        /// Never keeps bytes: the connection does.
        var reader: FrameReader<F>
        /// Where in the stream the reader is; see `takenBytes`.
        var place: UInt64 = 0

        public mutating func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
            try await connection.receiveFrame(&self)
        }

        /// Begins again if others have taken bytes that the reader has scanned.
        mutating func move(to place: UInt64) {
            if self.place != place { reader = FrameReader(framing) }
            self.place = place
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
