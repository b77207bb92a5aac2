internal import LinuxPlatform

/// Frames that end with a delimiter, such as a line's LF or CRLF. The delimiter is no part of the
/// payload.
///
/// Each byte is looked at once, however small the pieces are in which a frame comes.
public struct DelimiterFraming: Framing {
    /// 1 to `longestDelimiter` bytes.
    public let delimiter: [UInt8]
    /// Whether one CR that stands before the delimiter is no part of the payload either.
    public let stripsCarriageReturn: Bool
    /// The longest payload, in bytes.
    public let maximumLength: Int
    /// How many bytes of the frame cannot begin its delimiter, because they were looked at.
    private var scanned = 0

    /// Bounds what the search does for a byte.
    public static let longestDelimiter = 16

    private static let carriageReturn = UInt8(ascii: "\r")

    /// - Parameter maximumLength: a longer payload is an error, on both sides.
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

    /// Lines of text, which LF or CRLF ends; written with LF.
    public static func lines(
        maximumLength: Int = FrameLimits.defaultMaximumLength
    ) -> DelimiterFraming {
        DelimiterFraming(
            [UInt8(ascii: "\n")], stripsCarriageReturn: true, maximumLength: maximumLength)
    }

    public mutating func nextFrame(in bytes: FrameBytes) throws(FrameError) -> FrameBounds? {
        guard let start = firstDelimiter(in: bytes, from: scanned) else {
            // The delimiter may have begun at its last bytes.
            scanned = max(scanned, bytes.count - (delimiter.count - 1))
            // A CR that may be left out is not counted before that is clear.
            let leastLength = scanned - (stripsCarriageReturn ? 1 : 0)
            if leastLength > maximumLength { throw .tooLong(limit: maximumLength) }
            return nil
        }
        scanned = 0
        let isStripped =
            stripsCarriageReturn && start > 0
            && bytes[start - 1] == DelimiterFraming.carriageReturn
        let payload = 0..<(isStripped ? start - 1 : start)
        guard payload.count <= maximumLength else { throw .tooLong(limit: maximumLength) }
        return FrameBounds(payload: payload, end: start + delimiter.count)
    }

    /// The first place, not before `first`, where the whole delimiter stands.
    private func firstDelimiter(in bytes: FrameBytes, from first: Int) -> Int? {
        let last = bytes.count - delimiter.count
        var place = first
        // Among the kept bytes only the few that may begin a delimiter are left.
        while place < bytes.kept.count, place <= last {
            if isDelimiter(bytes, at: place) { return place }
            place += 1
        }
        while place <= last {
            let range = (place - bytes.kept.count)...(last - bytes.kept.count)
            let rest = UnsafeRawBufferPointer(rebasing: bytes.received[range])
            guard let offset = Memory.firstIndex(of: delimiter[0], in: rest) else { return nil }
            place += offset
            if isDelimiter(bytes, at: place) { return place }
            place += 1
        }
        return nil
    }

    private func isDelimiter(_ bytes: FrameBytes, at place: Int) -> Bool {
        delimiter.indices.allSatisfy { bytes[place + $0] == delimiter[$0] }
    }

    public func append(
        _ payload: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(FrameError) {
        guard payload.count <= maximumLength else { throw .tooLong(limit: maximumLength) }
        let start = output.count
        output.append(contentsOf: payload)
        appendDelimiter(to: &output)
        if let offset = firstMisreading(output[start...], payloadLength: payload.count) {
            output.removeLast(output.count - start)
            throw .delimiterInPayload(offset: offset)
        }
    }

    /// Writes the delimiter only, for payloads that are sent from where they are and are known to
    /// be without it.
    public func appendDelimiter(to output: inout [UInt8]) {
        output.append(contentsOf: delimiter)
    }

    /// Where a reader would take the frame to end, if not after the payload. The payload's end and
    /// the delimiter's beginning can look like a delimiter together.
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
