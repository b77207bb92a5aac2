/// The lines that a connection receives, without their LF or CRLF.
///
/// Bytes that are not UTF-8 are replaced. Ends and throws like ``InboundFrames``; a last line
/// without its LF counts as an error, because it may be incomplete.
public struct InboundLines: AsyncSequence, Sendable {
    public typealias Element = String
    let frames: InboundFrames<DelimiterFraming>

    public func makeAsyncIterator() -> Iterator { Iterator(frames: frames.makeAsyncIterator()) }

    /// Takes the lines. All iterators share the connection: a line goes to one of them.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var frames: InboundFrames<DelimiterFraming>.Iterator

        public mutating func next(isolation: isolated (any Actor)?) async throws -> String? {
            try await frames.next(isolation: isolation).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension AsyncConnection {
    /// The received lines, which end with LF or CRLF.
    /// - Parameter maximumLength: a longer line, in bytes, is an error. A negative number ends the
    ///   process.
    public func lines(maximumLength: Int = FrameLimits.defaultMaximumLength) -> InboundLines {
        InboundLines(frames: frames(of: DelimiterFraming.lines(maximumLength: maximumLength)))
    }
}
