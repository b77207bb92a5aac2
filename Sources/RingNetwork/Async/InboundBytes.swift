/// The bytes that a connection receives, as many at a time as have arrived.
///
/// Ends when the peer has ended its stream, or the listener shuts down. Throws ``ReceiveError`` and
/// `CancellationError`.
public struct InboundBytes: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    let connection: AsyncConnection

    public func makeAsyncIterator() -> Iterator { Iterator(connection: connection) }

    /// Takes the bytes. All iterators share the connection: a byte goes to one of them.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let connection: AsyncConnection

        public func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
            try await connection.receive()
        }
    }
}

extension AsyncConnection {
    /// The received bytes: `receive()` as a sequence. It copies them once.
    public var inbound: InboundBytes { InboundBytes(connection: self) }
}
