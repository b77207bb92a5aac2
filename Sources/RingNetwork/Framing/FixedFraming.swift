internal import LinuxPlatform

/// Frames of one fixed length.
public struct FixedFraming: Framing {
    /// In bytes; at least 1.
    public let length: Int

    /// - Parameter length: of each frame, in bytes; at least 1; less ends the process.
    public init(length: Int) {
        guard length > 0 else { fatalMisuse("FixedFraming cannot have the length \(length)") }
        self.length = length
    }

    public mutating func nextFrame(in bytes: FrameBytes) throws -> FrameBounds? {
        bytes.count >= length ? FrameBounds(payload: 0..<length, end: length) : nil
    }

    public func append(_ payload: RawSpan, to output: inout [UInt8]) throws {
        let count = payload.byteCount
        guard count == length else { throw FrameError.wrongLength(count, expected: length) }
        payload.withUnsafeBytes { output.append(contentsOf: $0) }
    }
}
