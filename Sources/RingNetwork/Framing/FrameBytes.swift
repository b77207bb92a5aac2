/// The bytes of a stream from the beginning of a frame. Valid only during the call.
public struct FrameBytes {
    /// Bytes of earlier calls.
    public let kept: UnsafeRawBufferPointer
    /// The bytes that follow them.
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
