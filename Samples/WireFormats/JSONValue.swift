/// A JSON value (RFC 8259). Strings are bytes, since a file's name need not be UTF-8, and objects
/// keep the order of their members.
package indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// A whole number of 64 bits that is not negative.
    case integer(UInt64)
    /// Any other number. Infinities and NaN, which JSON lacks, are written as null.
    case number(Double)
    case string([UInt8])
    case array([JSONValue])
    case object([Member])

    package struct Member: Sendable {
        package let name: [UInt8]
        package let value: JSONValue
    }

    package static func integer(_ value: Int) -> JSONValue { .integer(UInt64(value)) }

    package static func string(_ text: String) -> JSONValue { .string(Array(text.utf8)) }

    package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: Array($0.0.utf8), value: $0.1) })
    }

    /// A member of an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    package var text: String? {
        if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// Indented text, with a line feed at its end.
    package var document: String {
        var writer = JSONWriter(isIndented: true)
        writer.value(self)
        writer.endLine()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
