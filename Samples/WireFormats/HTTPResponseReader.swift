internal import Glibc

/// Parses the responses of an HTTP/1.1 server from a stream of bytes. RFC 9112.
package struct HTTPResponseReader {
    private enum State {
        case head
        case body(left: Int)
        case chunkedSize
        case chunkedData(left: Int)
        case chunkedDataEnd
        case trailer
        case untilEnd
    }

    private struct Head {
        var status = 0
        var closes = false
        /// The state after the head; nil: the response has no body.
        var body: State?
    }

    private static let mostHeadBytes = 64 * 1024

    private var state = State.head
    /// The lines of the head so far, or the start of another line.
    private var pending: [UInt8] = []
    private var head = Head()
    /// Bytes of this response's head and other lines so far.
    package private(set) var partialBytes = 0
    /// The last complete head. Most heads repeat, and comparing is cheaper than parsing.
    private var lastHead: (bytes: [UInt8], head: Head) = ([], Head())

    package init() {}

    package var status: Int { head.status }
    package var closes: Bool { head.closes || endsWithConnection }
    package var endsWithConnection: Bool { if case .untilEnd = state { true } else { false } }

    package mutating func reset() {
        state = .head
        head = Head()
        partialBytes = 0
    }

    /// Consumes bytes up to the end of the current response.
    /// - Parameters:
    ///   - expectsBody: false for a response to HEAD.
    ///   - body: receives the status and the body's bytes, in pieces.
    /// - Returns: how many of the bytes belong to the response; nil if it does not end with them.
    package mutating func step(
        _ bytes: UnsafeRawBufferPointer, expectsBody: Bool,
        body: (_ status: Int, UnsafeRawBufferPointer) -> Void
    ) throws(FormatFailure) -> Int? {
        var offset = 0
        if partialBytes == 0, startsLikeLast(bytes) {
            partialBytes = lastHead.bytes.count
            offset = partialBytes
            if endHead(lastHead.head, expectsBody: expectsBody) { return offset }
        }
        while offset < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            switch state {
            case .body(let left), .chunkedData(let left):
                let part = min(left, rest.count)
                body(status, UnsafeRawBufferPointer(rebasing: rest[..<part]))
                offset += part
                if case .body = state {
                    state = .body(left: left - part)
                    if left == part { return offset }
                } else {
                    state = left == part ? .chunkedDataEnd : .chunkedData(left: left - part)
                }
            case .untilEnd:
                body(status, rest)
                return nil
            case .head, .chunkedSize, .chunkedDataEnd, .trailer:
                let end = rest.firstIndex(of: UInt8(ascii: "\n"))
                let part = end.map { $0 + 1 } ?? rest.count
                pending.append(contentsOf: rest[..<part])
                partialBytes += part
                offset += part
                guard pending.count <= Self.mostHeadBytes else {
                    throw FormatFailure(words: "a head without end")
                }
                guard end != nil else { return nil }
                if try endLine(expectsBody: expectsBody) { return offset }
            }
        }
        return nil
    }

    private func startsLikeLast(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = lastHead.bytes.count
        guard count > 0, count <= bytes.count, let start = bytes.baseAddress else { return false }
        // Safety: `start` points to at least `count` bytes.
        return memcmp(lastHead.bytes, start, count) == 0
    }

    /// Handles a complete line. Returns whether the response ends with it.
    private mutating func endLine(expectsBody: Bool) throws(FormatFailure) -> Bool {
        if case .head = state {
            guard pending.hasSuffix("\n\n") || pending.hasSuffix("\n\r\n") else {
                return try checkFirstLine()
            }
            lastHead = (pending, try Self.parse(pending))
            pending.removeAll(keepingCapacity: true)
            return endHead(lastHead.head, expectsBody: expectsBody)
        }
        let line = HTTPHead.withoutLineEnd(pending[...])
        pending.removeAll(keepingCapacity: true)
        switch state {
        case .chunkedSize:
            let ends = Array("; \t".utf8)
            guard let size = Int(digits: line.prefix { !ends.contains($0) }, radix: 16) else {
                throw FormatFailure(words: "invalid size in a chunked body")
            }
            state = size == 0 ? .trailer : .chunkedData(left: size)
        case .chunkedDataEnd:
            guard line.isEmpty else {
                throw FormatFailure(words: "invalid line end in a chunked body")
            }
            state = .chunkedSize
        default: return line.isEmpty
        }
        return false
    }

    /// Detects another protocol by its first line, since it may never send an empty line.
    private func checkFirstLine() throws(FormatFailure) -> Bool {
        let isFirst = pending.firstIndex(of: UInt8(ascii: "\n")) == pending.count - 1
        if isFirst { _ = try Self.status(of: HTTPHead.withoutLineEnd(pending[...])) }
        return false
    }

    private static func parse(_ bytes: [UInt8]) throws(FormatFailure) -> Head {
        // Without the empty line, which follows a line end.
        let fields = try HTTPHead(Array(HTTPHead.withoutLineEnd(bytes[...])))
        let status = try status(of: fields.firstLine)
        let isOld = fields.firstLine.starts(with: "HTTP/1.0".utf8)
        var head = Head(status: status, closes: !fields.keepsAlive(isOld: isOld), body: .untilEnd)
        if status == 204 || status == 304 {
            head.body = nil
        } else if fields.text("transfer-encoding")?.hasSuffix("chunked") == true {
            head.body = .chunkedSize
        } else if let digits = fields.values("content-length").last {
            guard let length = Int(digits: digits) else {
                let text = String(decoding: digits.prefix(40), as: UTF8.self)
                throw FormatFailure(words: "its length is '\(text)'")
            }
            head.body = length > 0 ? .body(left: length) : nil
        }
        return head
    }

    private static func status(of line: ArraySlice<UInt8>) throws(FormatFailure) -> Int {
        let digits = line.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
            .prefix { $0 > UInt8(ascii: " ") }
        guard line.starts(with: "HTTP/1.".utf8),
            let status = Int(digits: digits), 100...999 ~= status
        else {
            let text = String(decoding: line.prefix(40), as: UTF8.self)
            throw FormatFailure(words: "its first line is '\(text)'")
        }
        return status
    }

    /// Handles a complete head. Returns whether the response ends with it.
    private mutating func endHead(_ head: Head, expectsBody: Bool) -> Bool {
        if 100..<200 ~= head.status {
            reset()
            return false
        }
        self.head = head
        guard expectsBody, let body = head.body else { return true }
        state = body
        return false
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { suffix(text.utf8CodeUnitCount).elementsEqual($0) }
    }
}
