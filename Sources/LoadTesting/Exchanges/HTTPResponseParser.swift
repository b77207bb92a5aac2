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
    /// The line, or the head, that is not complete yet.
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
                guard takeLine(bytes, &offset) else {
                    let isEndless = headBytes > Self.mostHeadBytes
                    return isEndless ? .malformed("an endless head") : .needsMore
                }
                let text = String(decoding: line, as: UTF8.self)
                line.removeAll(keepingCapacity: true)
                if let wrong = read(text) { return .malformed(wrong) }
                if isDone(text, expectsBody: expectsBody) { return .complete(offset) }
            }
        }
        return .needsMore
    }

    /// Moves bytes up to a line feed into `line`, without the line's end.
    private mutating func takeLine(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let end = Memory.firstIndex(of: UInt8(ascii: "\n"), in: rest)
        let part = end.map { $0 + 1 } ?? rest.count
        line.append(contentsOf: rest[..<part])
        headBytes += part
        offset += part
        guard end != nil else { return false }
        line.removeLast()
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return true
    }

    private mutating func read(_ text: String) -> String? {
        switch state {
        case .head: return readHead(text)
        case .chunkSize:
            let digits = text.prefix { $0 != ";" && $0 != " " }
            guard let size = Int(digits, radix: 16), size >= 0 else { return "a chunk's size" }
            state = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard text.isEmpty else { return "the end of a chunk" }
            state = .chunkSize
        default: break
        }
        return nil
    }

    private mutating func readHead(_ text: String) -> String? {
        if isFirstLine {
            let parts = text.split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let code = Int(parts[1]),
                100...999 ~= code
            else { return "its first line is '\(text.prefix(40))'" }
            status = code
            closes = parts[0] == "HTTP/1.0"
            isFirstLine = false
            return nil
        }
        guard let colon = text.firstIndex(of: ":") else {
            return text.isEmpty ? nil : "a line of its head is '\(text.prefix(40))'"
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        switch text[..<colon].lowercased() {
        case "content-length":
            guard let length = Int(value), length >= 0 else { return "its length is '\(value)'" }
            contentLength = length
        case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
        case "connection": closes = value.lowercased() == "close"
        default: break
        }
        return nil
    }

    /// After a line: whether the response ends with it.
    private mutating func isDone(_ text: String, expectsBody: Bool) -> Bool {
        // The last chunk's size, "0", is no empty line.
        if case .trailer = state { return text.isEmpty }
        guard case .head = state, text.isEmpty, !isFirstLine else { return false }
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
