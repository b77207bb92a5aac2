/// What a command answers.
enum Reply: Error {
    case status(String)
    case error(String)
    case integer(Int)
    /// nil: there is no value.
    case bytes(Bytes?)
    case array([Reply])
    case map([(String, Reply)])

    static let notAnInteger = Reply.error("ERR value is not an integer or out of range")

    static func text(_ text: String) -> Reply { .bytes(Bytes(array: Array(text.utf8))) }
    static func flag(_ value: Bool) -> Reply { .integer(value ? 1 : 0) }
    static func protocolError(_ text: String) -> Reply { .error("ERR Protocol error: \(text)") }

    static func wrongCount(_ command: String) -> Reply {
        .error("ERR wrong number of arguments for '\(command)' command")
    }

    static func unknownSubcommand(_ request: Request) -> Reply {
        let command = request[0].text.uppercased()
        return .error("ERR unknown subcommand '\(request[1].text)'. Try \(command) HELP.")
    }

    /// Appends the reply in RESP2 or RESP3.
    func write(to output: inout [UInt8], _ version: Int) {
        switch self {
        case .status(let text): output += "+\(text)\r\n".utf8
        case .error(let text):
            let line = text.utf8.map { $0 == 0x0d || $0 == 0x0a ? 0x20 : $0 }
            output += "-".utf8 + line + "\r\n".utf8
        case .integer(let value): Self.write(":", value, to: &output)
        case .bytes(nil): output += (version == 3 ? "_\r\n" : "$-1\r\n").utf8
        case .bytes(let bytes?):
            Self.write("$", bytes.count, to: &output)
            output += bytes.array
            output += "\r\n".utf8
        case .array(let elements):
            Self.write("*", elements.count, to: &output)
            for element in elements { element.write(to: &output, version) }
        case .map(let pairs):
            Self.write(version == 3 ? "%" : "*", pairs.count * (version == 3 ? 1 : 2), to: &output)
            for reply in pairs.flatMap({ [.text($0), $1] }) { reply.write(to: &output, version) }
        }
    }

    private static func write(_ type: Unicode.Scalar, _ number: Int, to output: inout [UInt8]) {
        output.append(UInt8(ascii: type))
        output += String(number).utf8
        output += "\r\n".utf8
    }
}
