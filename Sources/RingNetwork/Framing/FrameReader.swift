internal import LinuxPlatform

/// Splits received bytes into frames, and delivers each one whole. Each connection needs its own.
///
///     var reader = FrameReader(DelimiterFraming.lines())
///     try reader.receive(bytes) { line in ... }   // for all received bytes
///     try reader.finish()                         // at the end of the stream
///
/// A frame that lies entirely within the received bytes is not copied. A frame that arrives in
/// pieces is assembled in memory, of which the reader reuses up to 4 KiB. Not safe for concurrent
/// use.
public struct FrameReader<F: Framing> {
    @usableFromInline var framing: F
    /// The bytes of the incomplete frame.
    @usableFromInline var kept: [UInt8] = []
    @usableFromInline var failure: (any Error)?

    /// Creates a reader for a stream that begins with a frame.
    public init(_ framing: F) {
        self.framing = framing
    }

    /// The number of bytes received of the incomplete frame.
    @inlinable
    public var unfinishedByteCount: Int { kept.count }

    /// Delivers each frame that `bytes` complete, in order.
    ///
    /// An error ends the reader: the rest of `bytes` is dropped, and later calls throw the same
    /// error. Catch an error within `body` to go on with the next frame.
    /// - Parameters:
    ///   - bytes: the next bytes of the stream, split anywhere.
    ///   - body: called with each payload, which is valid only during the call.
    /// - Throws: what `body` throws; the framing's error that makes the stream unreadable, after
    ///   the frames before it were delivered.
    @inlinable
    public mutating func receive(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if let failure { throw failure }
        do {
            try deliver(bytes, body)
        } catch {
            failure = error
            kept = []
            throw error
        }
    }

    /// The same with spans.
    /// - Throws: what `body` throws, and the framing's error, as above.
    @inlinable
    public mutating func receive(
        _ bytes: RawSpan, _ body: (RawSpan) throws -> Void
    ) throws {
        try bytes.withUnsafeBytes { received in
            try receive(received) { (frame: UnsafeRawBufferPointer) in try body(frame.bytes) }
        }
    }

    @inlinable
    mutating func deliver(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var start = 0
        while start < bytes.count {
            let received = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let bounds = try nextFrame(in: received) else {
                kept.append(contentsOf: received)
                return
            }
            if kept.isEmpty {
                try body(UnsafeRawBufferPointer(rebasing: received[bounds.payload]))
                start += bounds.end
            } else {
                let missing = bounds.end - kept.count
                kept.append(contentsOf: UnsafeRawBufferPointer(rebasing: received[..<missing]))
                start += missing
                try kept.withUnsafeBytes {
                    try body(UnsafeRawBufferPointer(rebasing: $0[bounds.payload]))
                }
                kept.removeAll(keepingCapacity: kept.capacity <= FrameLimits.keptCapacity)
            }
        }
    }

    /// Ends the stream.
    /// - Throws: ``FrameError/endInsideFrame(byteCount:)`` if a frame is incomplete, or the error
    ///   that `receive` threw before.
    @inlinable
    public mutating func finish() throws {
        if failure == nil, !kept.isEmpty {
            failure = FrameError.endInsideFrame(byteCount: kept.count)
        }
        if let failure { throw failure }
    }

    @inlinable
    mutating func nextFrame(in received: UnsafeRawBufferPointer) throws -> FrameBounds? {
        let found = try kept.withUnsafeBytes { kept in
            try framing.nextFrame(in: FrameBytes(kept: kept, received: received))
        }
        guard let bounds = found else { return nil }
        // Any other end would loop forever, or read beyond the buffer.
        let isSound =
            bounds.payload.lowerBound >= 0 && bounds.payload.upperBound <= bounds.end
            && bounds.end > kept.count && bounds.end <= kept.count + received.count
        if !isSound { refuse(bounds, received.count) }
        return bounds
    }

    @usableFromInline
    func refuse(_ bounds: FrameBounds, _ receivedCount: Int) -> Never {
        fatalMisuse(
            "the framing \(F.self) found a frame that ends at byte \(bounds.end), when "
                + "\(kept.count) bytes were kept and \(receivedCount) received; the payload must "
                + "end before it, and it must be within the received bytes")
    }
}

extension FrameReader: Sendable {}
