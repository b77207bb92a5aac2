internal import LinuxPlatform

/// Takes received bytes and hands the frames in them over, each one whole.
///
///     var reader = FrameReader(DelimiterFraming.lines())
///     try reader.receive(bytes) { line in ... }   // for all bytes that come
///     try reader.finish()                         // at the end of the stream
///
/// A frame that lies whole within the received bytes is not copied: the closure sees it where it
/// is. Only a frame that came in pieces is put together, in memory that the reader keeps for the
/// next one. Not for several threads at a time.
public struct FrameReader<F: Framing> {
    @usableFromInline var framing: F
    /// The bytes of the frame that is not finished.
    @usableFromInline var kept: [UInt8] = []
    @usableFromInline var failure: FrameError?

    /// How much memory is kept, once it was needed, for frames that come in pieces.
    @usableFromInline static var keptCapacity: Int { 65_536 }

    public init(_ framing: F) {
        self.framing = framing
    }

    /// How many bytes of a frame came whose end did not.
    @inlinable
    public var unfinishedByteCount: Int { kept.count }

    /// Hands over each frame that `bytes` finish, in order.
    ///
    /// - Parameters:
    ///   - bytes: what came next, however the stream was cut into pieces.
    ///   - body: called with each payload, which is only valid until it returns.
    /// - Throws: what makes the stream unreadable, after the frames before it were handed over;
    ///   the same again at each later call.
    @inlinable
    public mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(FrameError) {
        if let failure { throw failure }
        var start = 0
        while start < bytes.count {
            let received = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let bounds = try nextFrame(in: received) else {
                kept.append(contentsOf: received)
                return
            }
            if kept.isEmpty {
                body(UnsafeRawBufferPointer(rebasing: received[bounds.payload]))
                start += bounds.end
            } else {
                let missing = bounds.end - kept.count
                kept.append(contentsOf: UnsafeRawBufferPointer(rebasing: received[..<missing]))
                start += missing
                kept.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[bounds.payload])) }
                kept.removeAll(keepingCapacity: kept.capacity <= Self.keptCapacity)
            }
        }
    }

    /// The same with spans.
    @inlinable
    public mutating func receive(
        _ bytes: RawSpan, _ body: (RawSpan) -> Void
    ) throws(FrameError) {
        let result = bytes.withUnsafeBytes { received in
            Result { () throws(FrameError) in
                try receive(received) { (frame: UnsafeRawBufferPointer) in body(frame.bytes) }
            }
        }
        try result.get()
    }

    /// The stream has ended.
    /// - Throws: `FrameError.endInsideFrame` where that was not between two frames, and what
    ///   `receive` threw before.
    @inlinable
    public mutating func finish() throws(FrameError) {
        if failure == nil, !kept.isEmpty { failure = .endInsideFrame(byteCount: kept.count) }
        if let failure { throw failure }
    }

    @inlinable
    mutating func nextFrame(
        in received: UnsafeRawBufferPointer
    ) throws(FrameError) -> FrameBounds? {
        let result = kept.withUnsafeBytes { kept in
            let bytes = FrameBytes(kept: kept, received: received)
            return Result { () throws(FrameError) in try framing.nextFrame(in: bytes) }
        }
        do {
            guard let bounds = try result.get() else { return nil }
            // Another end would be read for ever, or beyond the buffer.
            let isSound =
                bounds.payload.lowerBound >= 0 && bounds.payload.upperBound <= bounds.end
                && bounds.end > kept.count && bounds.end <= kept.count + received.count
            if !isSound { refuse(bounds, received.count) }
            return bounds
        } catch {
            failure = error
            kept = []
            throw error
        }
    }

    @usableFromInline
    func refuse(_ bounds: FrameBounds, _ receivedCount: Int) -> Never {
        fatalMisuse(
            "the framing \(F.self) found a frame that ends at byte \(bounds.end), when "
                + "\(kept.count) bytes were kept and \(receivedCount) came; the payload must end "
                + "before it, and it must be among those that came")
    }
}

extension FrameReader: Sendable {}
