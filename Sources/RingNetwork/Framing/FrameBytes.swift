/// The bytes of a stream from a frame's beginning: those that were kept, and those that came.
///
/// Only valid during the call that it is given to.
public struct FrameBytes {
    /// What came before, and is looked at again.
    public let kept: UnsafeRawBufferPointer
    /// What follows it.
    public let received: UnsafeRawBufferPointer

    @inlinable
    public init(kept: UnsafeRawBufferPointer, received: UnsafeRawBufferPointer) {
        self.kept = kept
        self.received = received
    }

    @inlinable
    public var count: Int { kept.count + received.count }

    @inlinable
    public subscript(index: Int) -> UInt8 {
        index < kept.count ? kept[index] : received[index - kept.count]
    }
}
