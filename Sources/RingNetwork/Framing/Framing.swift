internal import LinuxPlatform

/// A rule that splits a stream of bytes into frames. A ``FrameReader`` keeps incomplete frames, so
/// a framing only finds where a frame ends.
///
/// A framing is a value without sockets or buffers. Give each stream its own copy, because it may
/// remember how far it has scanned.
public protocol Framing: Sendable {
    /// Finds the end of the frame at the beginning of `bytes`; nil if it has not arrived.
    ///
    /// Called again with the same bytes and more, until there is an end. Errors must not depend on
    /// how the stream was split.
    /// - Throws: ``FrameError`` or an error of the framing's own, if the stream breaks its rules.
    mutating func nextFrame(in bytes: FrameBytes) throws -> FrameBounds?

    /// Appends a whole frame to `output`, which is unchanged after an error. A framing that is only
    /// read needs none: the default ends the process.
    /// - Throws: ``FrameError`` or an error of the framing's own, if it cannot frame the payload.
    func append(_ payload: RawSpan, to output: inout [UInt8]) throws
}

extension Framing {
    public func append(_ payload: RawSpan, to output: inout [UInt8]) throws {
        fatalMisuse("\(Self.self) frames nothing, because it has no append(_:to:): implement it")
    }

    /// Appends a whole frame to `output`, which is unchanged after an error.
    /// - Throws: ``FrameError``, if the payload cannot be framed.
    public func append(_ payload: [UInt8], to output: inout [UInt8]) throws {
        try append(payload.span.bytes, to: &output)
    }
}
