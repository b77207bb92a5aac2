/// A JSON value and its text. Objects keep the order of their members.
indirect enum JSONValue: Sendable {
    case object([(String, JSONValue)])
    case array([JSONValue])
    case string(String)
    case integer(Int)
    /// Infinities and not-a-number, which JSON lacks, become null.
    case number(Double)
    case bool(Bool)
    case null

    /// Indented, with a line end.
    var document: String { text(indentation: "") + "\n" }

    private func text(indentation: String) -> String {
        switch self {
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let inner = indentation + "  "
            let lines = members.map { name, value in
                "\(inner)\(Self.quoted(name)): \(value.text(indentation: inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        case .array(let elements):
            guard !elements.isEmpty else { return "[]" }
            let inner = indentation + "  "
            let lines = elements.map { inner + $0.text(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .bool(let bool): return bool ? "true" : "false"
        case .string(let string): return Self.quoted(string)
        case .integer(let integer): return String(integer)
        case .number(let number): return number.isFinite ? "\(number)" : "null"
        case .null: return "null"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
