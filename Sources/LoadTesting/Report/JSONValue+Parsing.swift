extension JSONValue {
    /// Reads a document; nil: it is none.
    init?(parsing text: String) {
        var reader = JSONReader(Array(text.utf8))
        guard let value = reader.document() else { return nil }
        self = value
    }

    /// A member of an object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }

    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}

/// A parser of JSON texts. RFC 8259.
private struct JSONReader {
    private static let mostNesting = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var nesting = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> JSONValue? {
        let value = value()
        skipSpace()
        return offset == bytes.count ? value : nil
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == character.asciiValue else { return false }
        offset += 1
        return true
    }

    private mutating func value() -> JSONValue? {
        skipSpace()
        guard offset < bytes.count, nesting < Self.mostNesting else { return nil }
        nesting += 1
        defer { nesting -= 1 }
        switch Character(UnicodeScalar(bytes[offset])) {
        case "{": return object()
        case "[": return array()
        case "\"": return string().map { .string($0) }
        case "t": return word("true", .bool(true))
        case "f": return word("false", .bool(false))
        case "n": return word("null", .null)
        default: return number()
        }
    }

    private mutating func word(_ text: String, _ value: JSONValue) -> JSONValue? {
        guard bytes[offset...].starts(with: text.utf8) else { return nil }
        offset += text.utf8.count
        return value
    }

    private mutating func object() -> JSONValue? {
        var members: [(String, JSONValue)] = []
        guard take("{") else { return nil }
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard let name = string(), take(":"), let value = value() else { return nil }
            members.append((name, value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        guard take("[") else { return nil }
        if take("]") { return .array([]) }
        repeat {
            guard let value = value() else { return nil }
            elements.append(value)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func number() -> JSONValue? {
        let start = offset
        while offset < bytes.count, "+-.eE0123456789".utf8.contains(bytes[offset]) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let character = escape() else { return nil }
                content += Array(String(character).utf8)
            case 0..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Character? {
        guard offset < bytes.count else { return nil }
        let byte = bytes[offset]
        offset += 1
        switch Character(UnicodeScalar(byte)) {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u":
            guard offset + 4 <= bytes.count,
                let code = UInt32(
                    String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
            else { return nil }
            offset += 4
            return UnicodeScalar(code).map { Character($0) } ?? "\u{FFFD}"
        case let other: return "\"\\/".contains(other) ? other : nil
        }
    }
}
