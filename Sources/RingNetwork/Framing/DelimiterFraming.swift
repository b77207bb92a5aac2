internal import LinuxPlatform

/// Frames that end with a delimiter, such as LF or CRLF. The payload excludes the delimiter.
///
/// Each byte is scanned once, however small the received pieces are.
public struct DelimiterFraming: Framing {
    /// 1 to `longestDelimiter` bytes.
    public let delimiter: [UInt8]
    /// Whether the payload also excludes one CR before the delimiter.
    public let stripsCarriageReturn: Bool
    /// The longest payload, in bytes.
    public let maximumLength: Int
    /// Bytes at the frame's beginning that are known not to start the delimiter.
    private var scanned = 0

    /// Bounds the work of the search per byte.
    public static let longestDelimiter = 16

    private static let carriageReturn = UInt8(ascii: "\r")

    /// - Parameters:
    ///   - delimiter: 1 to ``longestDelimiter`` bytes.
    ///   - stripsCarriageReturn: whether a CR before the delimiter does not belong to the payload.
    ///   - maximumLength: longer payloads are errors, in both directions. 0 allows empty payloads
    ///     only; a negative number ends the process.
    public init(
        _ delimiter: [UInt8], stripsCarriageReturn: Bool = false,
        maximumLength: Int = FrameLimits.defaultMaximumLength
    ) {
        guard 1...DelimiterFraming.longestDelimiter ~= delimiter.count else {
            fatalMisuse(
                "DelimiterFraming cannot have a delimiter of \(delimiter.count) bytes; "
                    + "it must have 1 to \(DelimiterFraming.longestDelimiter)")
        }
        guard maximumLength >= 0 else {
            fatalMisuse("DelimiterFraming cannot have the maximumLength \(maximumLength)")
        }
        self.delimiter = delimiter
        self.stripsCarriageReturn = stripsCarriageReturn
        self.maximumLength = maximumLength
    }

    /// Frames that end with one byte.
    public init(_ delimiter: UInt8, maximumLength: Int = FrameLimits.defaultMaximumLength) {
        self.init([delimiter], maximumLength: maximumLength)
    }

    /// Lines that end with LF or CRLF; written with LF.
    public static func lines(
        maximumLength: Int = FrameLimits.defaultMaximumLength
    ) -> DelimiterFraming {
        DelimiterFraming(
            [UInt8(ascii: "\n")], stripsCarriageReturn: true, maximumLength: maximumLength)
    }

    public mutating func nextFrame(in bytes: FrameBytes) throws -> FrameBounds? {
        guard let start = firstDelimiter(in: bytes, from: scanned) else {
            // The last bytes may be the beginning of the delimiter.
            scanned = max(scanned, bytes.count - (delimiter.count - 1))
            // The last byte may be a CR that does not count.
            let leastLength = scanned - (stripsCarriageReturn ? 1 : 0)
            if leastLength > maximumLength { throw FrameError.tooLong(limit: maximumLength) }
            return nil
        }
        scanned = 0
        let isStripped =
            stripsCarriageReturn && start > 0
            && bytes[start - 1] == DelimiterFraming.carriageReturn
        let payload = 0..<(isStripped ? start - 1 : start)
        guard payload.count <= maximumLength else { throw FrameError.tooLong(limit: maximumLength) }
        return FrameBounds(payload: payload, end: start + delimiter.count)
    }

    /// The index of the first delimiter at or after `first`.
    private func firstDelimiter(in bytes: FrameBytes, from first: Int) -> Int? {
        let last = bytes.count - delimiter.count
        var place = first
        while place <= last {
            guard let next = bytes.firstIndex(of: delimiter[0], in: place...last) else {
                return nil
            }
            place = next
            if isDelimiter(bytes, at: place) { return place }
            place += 1
        }
        return nil
    }

    private func isDelimiter(_ bytes: FrameBytes, at place: Int) -> Bool {
        delimiter.indices.allSatisfy { bytes[place + $0] == delimiter[$0] }
    }

    public func append(_ payload: RawSpan, to output: inout [UInt8]) throws {
        let count = payload.byteCount
        guard count <= maximumLength else { throw FrameError.tooLong(limit: maximumLength) }
        let start = output.count
        payload.withUnsafeBytes { output.append(contentsOf: $0) }
        output.append(contentsOf: delimiter)
        if let offset = firstMisreading(output[start...], payloadLength: count) {
            output.removeLast(output.count - start)
            throw FrameError.delimiterInPayload(offset: offset)
        }
    }

    /// The offset at which a reader would end the frame too early, or nil. The end of the payload
    /// and the beginning of the delimiter may form a delimiter.
    private func firstMisreading(_ frame: ArraySlice<UInt8>, payloadLength: Int) -> Int? {
        let start = frame.withUnsafeBytes { bytes in
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            return firstDelimiter(in: FrameBytes(kept: none, received: bytes), from: 0)
        }
        if let start, start < payloadLength { return start }
        let endsInCarriageReturn =
            payloadLength > 0
            && frame[frame.startIndex + payloadLength - 1] == DelimiterFraming.carriageReturn
        return stripsCarriageReturn && endsInCarriageReturn ? payloadLength - 1 : nil
    }
}
