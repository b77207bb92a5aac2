/// How a stream of bytes is taken apart into frames: by a ``FrameReader``, which keeps what is
/// unfinished, so that a framing only has to say where a frame ends.
///
/// A framing is a value without sockets or buffers. Give each stream its own copy: it may remember
/// how far it has looked.
public protocol Framing: Sendable {
    /// Finds the end of the frame that begins where `bytes` does; nil when it has not come yet.
    ///
    /// Asked again with the same bytes and more, until there is an end. What is thrown, and where,
    /// must not depend on how many bytes came at once.
    mutating func nextFrame(in bytes: FrameBytes) throws(FrameError) -> FrameBounds?

    /// Writes a whole frame behind what `output` has; without effect on it when it throws.
    func append(
        _ payload: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(FrameError)
}

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

/// Limits that framings share.
public enum FrameLimits {
    /// The longest payload, in bytes, where none is given: enough for lines and small messages, and
    /// what a peer can make the process keep for it.
    public static let defaultMaximumLength = 65_536
}

extension Framing {
    /// Writes a whole frame behind what `output` has; without effect on it when it throws.
    public func append(_ payload: [UInt8], to output: inout [UInt8]) throws(FrameError) {
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in try append(bytes, to: &output) }
        }
        try result.get()
    }

    /// Writes a whole frame behind what `output` has; without effect on it when it throws.
    public func append(_ payload: RawSpan, to output: inout [UInt8]) throws(FrameError) {
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in try append(bytes, to: &output) }
        }
        try result.get()
    }
}
