/// Where a frame is, counted in bytes from its beginning.
public struct FrameBounds: Sendable, Equatable {
    /// What is handed over.
    public var payload: Range<Int>
    /// Where the next frame begins: past the payload and what may follow it.
    public var end: Int

    @inlinable
    public init(payload: Range<Int>, end: Int) {
        self.payload = payload
        self.end = end
    }
}
