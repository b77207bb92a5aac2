/// Commands of Redis's protocol. A key determines its value, so that replies to GET can be checked.
final class RESPExchange: Exchange, @unchecked Sendable {
    // Safety: see the base class.
    private let plan: RESPPlan
    private let payload: Payload
    /// With the message's number, determines command and key.
    private let seed: UInt64
    private var line: [UInt8] = []
    /// Missing bytes of a value, including its line end; nil while a line is expected.
    private var valueLeft: Int?
    private var valuePosition = 0
    private var received = 0
    private static let longestLine = 64 * 1024
    /// Bytes of a line that are compared, and reported.
    private static let longestReply = 200
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    init(_ plan: RESPPlan, payload: Payload, seed: UInt64) {
        self.plan = plan
        self.payload = payload
        self.seed = seed
    }

    override var partialBytes: Int { received }

    override func write(into buffer: MessageBuffer) {
        let (command, key) = plan.choice(seed &+ writtenCount)
        switch command {
        case .ping: buffer.append("*1\r\n$4\r\nPING\r\n")
        case .get:
            let name = plan.name(key)
            buffer.append("*2\r\n$3\r\nGET\r\n$\(name.utf8.count)\r\n\(name)\r\n")
        case .set:
            let name = plan.name(key)
            let size = payload.size(key, seed: RESPPlan.valueSeed)
            buffer.append(
                "*3\r\n$3\r\nSET\r\n$\(name.utf8.count)\r\n\(name)\r\n$\(size)\r\n")
            payload.write(key, seed: RESPPlan.valueSeed, into: buffer)
            buffer.append("\r\n")
        }
        writtenCount &+= 1
    }

    override func check(_ bytes: UnsafeRawBufferPointer) -> Finding? {
        var rest = bytes
        while !rest.isEmpty {
            guard answeredCount != writtenCount else {
                return Finding(.mismatch, "received a reply without a command")
            }
            if let left = valueLeft {
                let part = min(left, rest.count)
                let piece = UnsafeRawBufferPointer(rebasing: rest[..<part])
                if let finding = checkValue(piece) { return finding }
                rest = UnsafeRawBufferPointer(rebasing: rest[part...])
                valueLeft = left - part
                if left == part { answered() }
                continue
            }
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let part = end.map { $0 + 1 } ?? rest.count
            line.append(contentsOf: rest[..<part])
            received += part
            rest = UnsafeRawBufferPointer(rebasing: rest[part...])
            guard end != nil else {
                return line.count > Self.longestLine ? wrong("a line without an end") : nil
            }
            if let finding = checkLine() { return finding }
        }
        return nil
    }

    private func answered() {
        answeredCount &+= 1
        valueLeft = nil
        valuePosition = 0
        received = 0
        line.removeAll(keepingCapacity: true)
    }

    private func checkLine() -> Finding? {
        guard line.suffix(2) == Self.lineEnd[...] else { return wrong("a line without CR LF") }
        let reply = String(decoding: line.dropLast(2).prefix(Self.longestReply), as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        let (command, key) = plan.choice(seed &+ answeredCount)
        if reply.hasPrefix("-") {
            return Finding(.status, "command \(answeredCount) (\(command.rawValue)): \(reply)")
        }
        switch command {
        case .ping where reply == "+PONG", .set where reply == "+OK", .get where reply == "$-1":
            answered()
        case .get where reply.hasPrefix("$"):
            let size = payload.size(key, seed: RESPPlan.valueSeed)
            guard Int(reply.dropFirst()) == size else { return wrong("a value of \(reply)") }
            valueLeft = size + 2
        default: return wrong("'\(reply.prefix(40))'")
        }
        return nil
    }

    private func checkValue(_ piece: UnsafeRawBufferPointer) -> Finding? {
        let (_, key) = plan.choice(seed &+ answeredCount)
        let size = payload.size(key, seed: RESPPlan.valueSeed)
        let count = max(0, min(piece.count, size - valuePosition))
        let value = UnsafeRawBufferPointer(rebasing: piece[..<count])
        let isRight = payload.matches(
            key, seed: RESPPlan.valueSeed, position: valuePosition, value)
        let end = Self.lineEnd.dropFirst(max(0, valuePosition - size))
        guard isRight, end.starts(with: piece[count...]) else {
            return wrong("not the value that was set")
        }
        valuePosition += piece.count
        received += piece.count
        return nil
    }

    private func wrong(_ what: String) -> Finding {
        let (command, _) = plan.choice(seed &+ answeredCount)
        return Finding(
            .mismatch, "the reply to command \(answeredCount) (\(command.rawValue)) is \(what)")
    }
}
