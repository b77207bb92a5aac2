/// A JSON value (RFC 8259). Objects keep the order of their members.
package enum JSONValue: Sendable {
    package typealias Member = (name: String, value: JSONValue)

    case null
    case boolean(Bool)
    /// A whole number from 0 to 2⁶⁴ - 1.
    case integer(UInt64)
    /// Any other number. Infinities and NaN are written as null.
    case number(Double)
    /// Bytes, since file names need not be UTF-8.
    case string([UInt8])
    case array([JSONValue])
    case object([Member])

    package static func integer(_ value: Int) -> JSONValue { .integer(UInt64(value)) }

    package static func string(_ text: String) -> JSONValue { .string(Array(text.utf8)) }

    /// The member of an object; nil if there is none.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
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
}
