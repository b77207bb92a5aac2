/// What is wrong with the bytes that a client sent. The session ends with it.
enum ProtocolError: Error, Equatable {
    case invalidMultibulkLength
    case invalidBulkLength
    case tooBigCount
    case tooBigBulkCount
    case tooBigCommand
    case tooBigInlineRequest
    case unbalancedQuotes
    case missingLineEnd
    /// Something else where a bulk string should begin.
    case unexpectedByte(UInt8)

    /// As clients of this protocol know it, without "ERR Protocol error: ".
    var message: String {
        switch self {
        case .invalidMultibulkLength: "invalid multibulk length"
        case .invalidBulkLength: "invalid bulk length"
        case .tooBigCount: "too big mbulk count string"
        case .tooBigBulkCount: "too big bulk count string"
        case .tooBigCommand: "too big command"
        case .tooBigInlineRequest: "too big inline request"
        case .unbalancedQuotes: "unbalanced quotes in request"
        case .missingLineEnd: "expected CRLF after a bulk string"
        case .unexpectedByte(let byte):
            "expected '$', got '\(byte > 0x20 && byte < 0x7f ? String(UnicodeScalar(byte)) : "?")'"
        }
    }
}
