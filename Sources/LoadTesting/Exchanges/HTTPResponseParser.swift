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
    private var head = Head()
    private var isHeadRead = false
    private var headBytes = 0
    /// The last head that came whole: a server's answers mostly begin alike, and to compare them
    /// costs less than to read them.
    private var lastHead: (bytes: [UInt8], head: Head) = ([], Head())

    private struct Head {
        var status: Int?
        var contentLength: Int?
        var isChunked = false
        var closes = false
    }

    var status: Int { head.status ?? 0 }
    var closes: Bool { head.closes || endsWithConnection }
    var partialBytes: Int { headBytes }
    var endsWithConnection: Bool { if case .untilEnd = state { true } else { false } }

    /// Begins with the next response.
    mutating func reset() {
        state = .head
        head = Head()
        isHeadRead = false
        headBytes = 0
    }

    /// - Parameter body: is given the status and the body's bytes, in pieces.
    mutating func step(
        _ bytes: UnsafeRawBufferPointer, expectsBody: Bool,
        body: (_ status: Int, UnsafeRawBufferPointer) -> Void
    ) -> Step {
        var offset = 0
        if headBytes == 0, startsAsTheLast(bytes) {
            head = lastHead.head
            headBytes = lastHead.bytes.count
            offset = headBytes
            if endHead(expectsBody: expectsBody) { return .complete(offset) }
        }
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
                let hadHead = isHeadRead
                let step = take(part, expectsBody: expectsBody, end: offset)
                if isHeadRead, !hadHead, headBytes == offset {
                    lastHead = (Array(bytes[..<offset]), head)
                }
                if let step { return step }
            }
        }
        return .needsMore
    }

    private func startsAsTheLast(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = lastHead.bytes.count
        guard count > 0, count <= bytes.count else { return false }
        return lastHead.bytes.withUnsafeBytes {
            Memory.areEqual($0, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
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
        guard head.status != nil else {
            let version = line.prefix(until: HeaderBytes.isSpace)
            let code = line.dropFirst(version.bytes.count).trimmed
                .prefix(until: HeaderBytes.isSpace).number()
            guard version.hasPrefix("HTTP/1."), let code, 100...999 ~= code else {
                return "its first line is '\(line.text)'"
            }
            head.status = code
            head.closes = version.equals("http/1.0")
            return nil
        }
        let name = line.prefix { $0 == UInt8(ascii: ":") }
        guard name.bytes.count < line.bytes.count else {
            return line.isEmpty ? nil : "a line of its head is '\(line.text)'"
        }
        let value = line.dropFirst(name.bytes.count + 1).trimmed
        if name.equals("content-length") {
            guard let length = value.number() else { return "its length is '\(value.text)'" }
            head.contentLength = length
        } else if name.equals("transfer-encoding") {
            head.isChunked = value.hasSuffix("chunked")
        } else if name.equals("connection") {
            head.closes = value.equals("close")
        }
        return nil
    }

    /// After a line: whether the response ends with it.
    private mutating func isDone(_ line: HeaderBytes, expectsBody: Bool) -> Bool {
        // The last chunk's size, "0", is no empty line.
        if case .trailer = state { return line.isEmpty }
        guard case .head = state, line.isEmpty, head.status != nil else { return false }
        return endHead(expectsBody: expectsBody)
    }

    /// After the head: whether the response ends with it.
    private mutating func endHead(expectsBody: Bool) -> Bool {
        if 100..<200 ~= status {
            reset()
            return false
        }
        isHeadRead = true
        if !expectsBody || status == 204 || status == 304 { return true }
        if head.isChunked {
            state = .chunkSize
        } else if let length = head.contentLength {
            if length == 0 { return true }
            state = .body(left: length)
        } else {
            state = .untilEnd
        }
        return false
    }
}
