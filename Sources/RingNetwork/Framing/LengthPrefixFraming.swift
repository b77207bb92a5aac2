internal import LinuxPlatform

/// Frames that begin with their length, a binary number of 1, 2, 4 or 8 bytes.
public struct LengthPrefixFraming: Framing {
    /// The size of the length field, in bytes.
    public enum Width: Int, Sendable, CaseIterable {
        /// Lengths up to 255 bytes.
        case one = 1
        /// Lengths up to 65,535 bytes.
        case two = 2
        /// Lengths below 4 GiB.
        case four = 4
        /// Lengths up to what an `Int` can express.
        case eight = 8
    }

    /// The order of the bytes of the length field.
    public enum ByteOrder: Sendable {
        /// Network byte order: the most significant byte first.
        case bigEndian
        /// The least significant byte first.
        case littleEndian
    }

    /// The size of the length field.
    public let width: Width
    /// The order of the bytes of the length field.
    public let byteOrder: ByteOrder
    /// Whether the length includes its own field.
    public let countsItself: Bool
    /// The longest payload, in bytes.
    public let maximumLength: Int

    /// - Parameters:
    ///   - width: the size of the length field.
    ///   - byteOrder: of the length field.
    ///   - countsItself: whether the length includes its own field.
    ///   - maximumLength: longer payloads are errors, in both directions. Reduced to the largest
    ///     length that `width` can express. 0 allows empty payloads only; a negative number ends
    ///     the process.
    public init(
        _ width: Width, byteOrder: ByteOrder = .bigEndian, countsItself: Bool = false,
        maximumLength: Int = FrameLimits.defaultMaximumLength
    ) {
        guard maximumLength >= 0 else {
            fatalMisuse("LengthPrefixFraming cannot have the maximumLength \(maximumLength)")
        }
        self.width = width
        self.byteOrder = byteOrder
        self.countsItself = countsItself
        let own = countsItself ? width.rawValue : 0
        // `end` must fit into Int; 8 bytes can express more.
        let most = width == .eight ? Int.max - width.rawValue : 1 << (8 * width.rawValue) - 1 - own
        self.maximumLength = min(maximumLength, most)
    }

    public mutating func nextFrame(in bytes: FrameBytes) throws -> FrameBounds? {
        guard bytes.count >= width.rawValue else { return nil }
        var number: UInt64 = 0
        for place in 0..<width.rawValue {
            let index = byteOrder == .bigEndian ? place : width.rawValue - 1 - place
            number = number << 8 | UInt64(bytes[index])
        }
        let own = UInt64(countsItself ? width.rawValue : 0)
        guard number >= own else { throw FrameError.invalidLength(number) }
        guard number - own <= UInt64(maximumLength) else {
            throw FrameError.tooLong(limit: maximumLength)
        }
        let end = width.rawValue + Int(number - own)
        return end <= bytes.count ? FrameBounds(payload: width.rawValue..<end, end: end) : nil
    }

    public func append(_ payload: RawSpan, to output: inout [UInt8]) throws {
        try appendHeader(payloadLength: payload.byteCount, to: &output)
        payload.withUnsafeBytes { output.append(contentsOf: $0) }
    }

    /// Appends only the length, for payloads that are sent without a copy.
    /// - Throws: ``FrameError``, if the payload is too long.
    public func appendHeader(
        payloadLength: Int, to output: inout [UInt8]
    ) throws {
        guard payloadLength >= 0, payloadLength <= maximumLength else {
            throw FrameError.tooLong(limit: maximumLength)
        }
        let number = UInt64(payloadLength + (countsItself ? width.rawValue : 0))
        for place in 0..<width.rawValue {
            let byte = byteOrder == .bigEndian ? width.rawValue - 1 - place : place
            output.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)))
        }
    }
}
