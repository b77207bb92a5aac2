/// The position of a frame, in bytes from its beginning.
public struct FrameBounds: Sendable, Equatable {
    /// The bytes that the reader delivers.
    public var payload: Range<Int>
    /// The beginning of the next frame, after the payload and any trailer.
    public var end: Int

    /// Creates bounds, for a ``Framing`` of your own.
    /// - Parameters:
    ///   - payload: within the frame; a header before it is not delivered.
    ///   - end: not before the end of the payload, and above 0.
    @inlinable
    public init(payload: Range<Int>, end: Int) {
        self.payload = payload
        self.end = end
    }
}
