internal import Ring

/// Reads responses in pieces as they come. RFC 9112.
struct HTTPResponseParser {
    enum Step {
        case needsMore
        /// All of the response came, in so many of the bytes.
        case complete(Int)
        case malformed(String)
    }

    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case untilEnd
    }

    private static let mostHeadBytes = 64 * 1024

    private var state = State.head
    /// The beginning of a line that is not complete yet.
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var contentLength: Int?
    private var isChunked = false
    private var headBytes = 0
    private(set) var status = 0
    private(set) var closes = false

    var partialBytes: Int { headBytes }
    var endsWithConnection: Bool { if case .untilEnd = state { true } else { false } }

    mutating func reset() { self = HTTPResponseParser() }

    /// - Parameter body: is given the status and the body's bytes, in pieces.
    mutating func step(
        _ bytes: UnsafeRawBufferPointer, expectsBody: Bool,
        body: (_ status: Int, UnsafeRawBufferPointer) -> Void
    ) -> Step {
        var offset = 0
        while offset < bytes.count {
            switch state {
            case .body(let left), .chunk(let left):
                let part = min(left, bytes.count - offset)
                body(status, UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + part]))
                offset += part
                if case .body = state {
                    state = .body(left: left - part)
                    if left == part { return .complete(offset) }
                } else {
                    state = left == part ? .chunkEnd : .chunk(left: left - part)
                }
            case .untilEnd:
                body(status, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                return .needsMore
            case .head, .chunkSize, .chunkEnd, .trailer:
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let end = Memory.firstIndex(of: UInt8(ascii: "\n"), in: rest)
                let part = UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)])
                let taken = part.count + (end == nil ? 0 : 1)
                headBytes += taken
                offset += taken
                guard end != nil else {
                    line.append(contentsOf: part)
                    let isEndless = headBytes > Self.mostHeadBytes
                    return isEndless ? .malformed("an endless head") : .needsMore
                }
                if let step = take(part, expectsBody: expectsBody, end: offset) { return step }
            }
        }
        return .needsMore
    }

    /// - Parameters:
    ///   - part: a line's bytes but for those in `line`, without the line feed.
    ///   - end: where the line ends.
    private mutating func take(
        _ part: UnsafeRawBufferPointer, expectsBody: Bool, end: Int
    ) -> Step? {
        guard line.isEmpty else {
            line.append(contentsOf: part)
            let whole = line
            line = []
            return whole.withUnsafeBytes { take($0, expectsBody: expectsBody, end: end) }
        }
        let hasReturn = part.last == UInt8(ascii: "\r")
        let line = HeaderBytes(
            bytes: UnsafeRawBufferPointer(rebasing: part.dropLast(hasReturn ? 1 : 0)))
        if let wrong = read(line) { return .malformed(wrong) }
        return isDone(line, expectsBody: expectsBody) ? .complete(end) : nil
    }

    private mutating func read(_ line: HeaderBytes) -> String? {
        switch state {
        case .head: return readHead(line)
        case .chunkSize:
            let digits = line.prefix { $0 == UInt8(ascii: ";") || HeaderBytes.isSpace($0) }
            guard let size = digits.number(radix: 16) else { return "a chunk's size" }
            state = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard line.isEmpty else { return "the end of a chunk" }
            state = .chunkSize
        default: break
        }
        return nil
    }

    private mutating func readHead(_ line: HeaderBytes) -> String? {
        if isFirstLine {
            let version = line.prefix(until: HeaderBytes.isSpace)
            let code = line.dropFirst(version.bytes.count).trimmed
                .prefix(until: HeaderBytes.isSpace).number()
            guard version.hasPrefix("HTTP/1."), let code, 100...999 ~= code else {
                return "its first line is '\(line.text)'"
            }
            status = code
            closes = version.equals("http/1.0")
            isFirstLine = false
            return nil
        }
        let name = line.prefix { $0 == UInt8(ascii: ":") }
        guard name.bytes.count < line.bytes.count else {
            return line.isEmpty ? nil : "a line of its head is '\(line.text)'"
        }
        let value = line.dropFirst(name.bytes.count + 1).trimmed
        if name.equals("content-length") {
            guard let length = value.number() else { return "its length is '\(value.text)'" }
            contentLength = length
        } else if name.equals("transfer-encoding") {
            isChunked = value.hasSuffix("chunked")
        } else if name.equals("connection") {
            closes = value.equals("close")
        }
        return nil
    }

    /// After a line: whether the response ends with it.
    private mutating func isDone(_ line: HeaderBytes, expectsBody: Bool) -> Bool {
        // The last chunk's size, "0", is no empty line.
        if case .trailer = state { return line.isEmpty }
        guard case .head = state, line.isEmpty, !isFirstLine else { return false }
        if 100..<200 ~= status {
            self = HTTPResponseParser()
            return false
        }
        if !expectsBody || status == 204 || status == 304 { return true }
        if isChunked {
            state = .chunkSize
        } else if let contentLength {
            if contentLength == 0 { return true }
            state = .body(left: contentLength)
        } else {
            closes = true
            state = .untilEnd
        }
        return false
    }
}
