/// A strict parser of JSON texts (RFC 8259).
///
/// `\udc80` to `\udcff` outside a surrogate pair is a single byte: Python writes file names that
/// are not UTF-8 this way (PEP 383).
package struct JSONReader {
    /// Deeper nesting is refused, because the parser is recursive.
    private static let depthLimit = 16

    private let text: [UInt8]
    private var place = 0

    package static func read(_ text: [UInt8]) throws(FormatFailure) -> JSONValue {
        var reader = JSONReader(text: text)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.place == text.count else {
            throw reader.failure("there is more after the value")
        }
        return value
    }

    private init(text: [UInt8]) { self.text = text }

    private func failure(_ words: String) -> FormatFailure {
        FormatFailure(words: "not JSON: \(words), at byte \(place)")
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { place += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(FormatFailure) -> JSONValue {
        guard depth < Self.depthLimit else {
            throw failure("nested deeper than \(Self.depthLimit)")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case nil: throw failure("it ends where a value should be")
        case let byte? where byte == UInt8(ascii: "-") || 0x30...0x39 ~= byte:
            return try number()
        default: return try word()
        }
    }

    private mutating func members(depth: Int) throws(FormatFailure) -> [JSONValue.Member] {
        _ = take("{")
        if take("}") { return [] }
        var members: [JSONValue.Member] = []
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is missing") }
            let name = try string()
            guard take(":") else { throw failure("':' is missing") }
            members.append((String(decoding: name, as: UTF8.self), try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw failure("'}' is missing") }
        return members
    }

    private mutating func elements(depth: Int) throws(FormatFailure) -> [JSONValue] {
        _ = take("[")
        if take("]") { return [] }
        var elements: [JSONValue] = []
        repeat { elements.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw failure("']' is missing") }
        return elements
    }

    private mutating func word() throws(FormatFailure) -> JSONValue {
        let words: [(StaticString, JSONValue)] = [
            ("true", .boolean(true)), ("false", .boolean(false)), ("null", .null),
        ]
        for (word, value) in words {
            let isNext = word.withUTF8Buffer { text[place...].starts(with: $0) }
            guard isNext else { continue }
            place += word.utf8CodeUnitCount
            return value
        }
        throw failure("no value begins like this")
    }

    /// Reads an integer without leading zeros, then perhaps a fraction and an exponent.
    private mutating func number() throws(FormatFailure) -> JSONValue {
        let start = place
        _ = take(anyOf: "-")
        if !take(anyOf: "0") { try digits() }
        if take(anyOf: ".") { try digits() }
        if take(anyOf: "eE") {
            _ = take(anyOf: "+-")
            try digits()
        }
        let digits = String(decoding: text[start..<place], as: UTF8.self)
        if let integer = UInt64(digits) { return .integer(integer) }
        guard let number = Double(digits) else { throw failure("a malformed number") }
        return .number(number)
    }

    private mutating func digits() throws(FormatFailure) {
        guard take(anyOf: "0123456789") else { throw failure("a digit is missing") }
        while take(anyOf: "0123456789") {}
    }

    private mutating func take(anyOf characters: String) -> Bool {
        guard let next, characters.utf8.contains(next) else { return false }
        place += 1
        return true
    }
}

extension JSONReader {
    private mutating func string() throws(FormatFailure) -> [UInt8] {
        place += 1
        var bytes: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"): bytes += try escape()
            case 0..<0x20: throw failure("a control character in a string")
            default: bytes.append(byte)
            }
        }
        throw failure("a string has no end")
    }

    private mutating func escape() throws(FormatFailure) -> [UInt8] {
        guard let byte = next else { throw failure("a string has no end") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return try codeUnits()
        default: throw failure("an unknown escape")
        }
    }

    /// Parses the digits after `\u`, and the second half of a surrogate pair.
    private mutating func codeUnits() throws(FormatFailure) -> [UInt8] {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return Array(String(scalar).utf8) }
        if 0xdc80...0xdcff ~= unit { return [UInt8(unit & 0xff)] }
        guard unit < 0xdc00, text[place...].starts(with: Array("\\u".utf8)) else {
            throw failure("half of a surrogate pair")
        }
        place += 2
        let low = try hexadecimal()
        guard 0xdc00...0xdfff ~= low,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw failure("half of a surrogate pair") }
        return Array(String(scalar).utf8)
    }

    private mutating func hexadecimal() throws(FormatFailure) -> UInt32 {
        let digits = text[place...].prefix(4)
        guard digits.count == 4, digits.first ?? 0 > UInt8(ascii: "-"),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are missing") }
        place += 4
        return value
    }
}
