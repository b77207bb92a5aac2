internal import WireFormats

/// HTTP/1.1 requests on a persistent connection, with pipelining. RFC 9112.
final class HTTPExchange: Exchange, @unchecked Sendable {
    // Safety: see the base class.
    private let plan: HTTPPlan
    private let head: [UInt8]
    private let payload: Payload
    private let seed: UInt64
    private var reader = HTTPResponseReader()
    /// Bytes of the body so far, if it must equal the request's.
    private var bodyPosition = 0
    private var ends = false

    init(_ plan: HTTPPlan, target: LoadTarget, payload: Payload, seed: UInt64) {
        self.plan = plan
        self.payload = payload
        self.seed = seed
        let given = Set(plan.headers.map(Self.name))
        let defaults = ["Host: \(target.place)", "User-Agent: ringload"].filter {
            !given.contains(Self.name($0))
        }
        let lines =
            ["\(plan.method.rawValue) \(target.path) HTTP/1.1"] + defaults + plan.headers
        head = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    private static func name(_ header: String) -> String {
        header.prefix { $0 != ":" }.lowercased()
    }

    override var isOver: Bool { ends }
    override var partialBytes: Int { reader.partialBytes }

    override func write(into buffer: MessageBuffer) {
        buffer.append(head)
        if plan.method == .post {
            let size = payload.size(writtenCount, seed: seed)
            buffer.append("Content-Length: \(size)\r\n\r\n")
            payload.write(writtenCount, seed: seed, into: buffer)
        } else {
            buffer.append("\r\n")
        }
        writtenCount &+= 1
    }

    override func check(_ bytes: UnsafeRawBufferPointer) -> Finding? {
        var rest = bytes
        while !rest.isEmpty {
            guard answeredCount != writtenCount else {
                return Finding(.mismatch, "received bytes without a request")
            }
            var finding: Finding?
            do throws(FormatFailure) {
                let used = try reader.step(rest, expectsBody: plan.method != .head) {
                    status, piece in
                    finding = finding ?? (status < 400 ? checkBody(piece) : nil)
                }
                guard finding == nil, let used else { return finding }
                rest = UnsafeRawBufferPointer(rebasing: rest[used...])
            } catch {
                let what = "response \(answeredCount) is not HTTP/1.1: \(error.words)"
                return finding ?? Finding(.mismatch, what)
            }
            if let finding = complete() { return finding }
        }
        return nil
    }

    private func checkBody(_ piece: UnsafeRawBufferPointer) -> Finding? {
        guard plan.body == .echo else { return nil }
        let size = payload.size(answeredCount, seed: seed)
        let isRight =
            bodyPosition + piece.count <= size
            && payload.matches(answeredCount, seed: seed, position: bodyPosition, piece)
        bodyPosition += piece.count
        return isRight
            ? nil : Finding(.mismatch, "the body of response \(answeredCount) differs")
    }

    private func complete() -> Finding? {
        if reader.closes { ends = true }
        guard reader.status < 400 else {
            return Finding(.status, "response \(answeredCount) has status \(reader.status)")
        }
        if plan.body == .echo, bodyPosition != payload.size(answeredCount, seed: seed) {
            return Finding(.truncation, "the body of response \(answeredCount) is incomplete")
        }
        bodyPosition = 0
        answeredCount &+= 1
        reader.reset()
        return nil
    }

    /// A body without a length ends when the connection does.
    override func findingAtEnd() -> Finding? {
        if reader.endsWithConnection { return complete() }
        return super.findingAtEnd()
    }
}
