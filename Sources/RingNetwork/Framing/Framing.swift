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
