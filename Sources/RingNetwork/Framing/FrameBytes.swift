internal import LinuxPlatform

/// The bytes of a stream from the beginning of a frame. Valid only during the call.
public struct FrameBytes {
    /// Bytes of earlier calls.
    @usableFromInline let kept: UnsafeRawBufferPointer
    /// The bytes that follow them.
    @usableFromInline let received: UnsafeRawBufferPointer

    @inlinable
    init(kept: UnsafeRawBufferPointer, received: UnsafeRawBufferPointer) {
        self.kept = kept
        self.received = received
    }

    /// The number of bytes that have arrived, at least 1.
    @inlinable
    public var count: Int { kept.count + received.count }

    /// The byte at an index from 0 to `count - 1`.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        index < kept.count ? kept[index] : received[index - kept.count]
    }

    /// The index of the first such byte in a range of indices; memchr(3).
    public func firstIndex(of byte: UInt8, in range: ClosedRange<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound < count, "beyond the frame's bytes")
        // The kept bytes, few of which are scanned: the others were before.
        var index = range.lowerBound
        while index < kept.count, index <= range.upperBound {
            if kept[index] == byte { return index }
            index += 1
        }
        guard index <= range.upperBound else { return nil }
        let rest = received[(index - kept.count)...(range.upperBound - kept.count)]
        return Memory.firstIndex(of: byte, in: UnsafeRawBufferPointer(rebasing: rest))
            .map { index + $0 }
    }
}
