/// The position of a frame, in bytes from its beginning.
public struct FrameBounds: Sendable, Equatable {
    /// The bytes that the reader delivers.
    public var payload: Range<Int>
    /// The beginning of the next frame, after the payload and any trailer.
    public var end: Int

    @inlinable
    public init(payload: Range<Int>, end: Int) {
        self.payload = payload
        self.end = end
    }
}
