extension JSONValue {
    /// The value on one line, without a line end.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        append(to: &bytes, indentation: nil)
        return bytes
    }

    /// The value with indentation, one line for each member and element.
    package var document: String {
        var bytes: [UInt8] = []
        append(to: &bytes, indentation: 0)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    /// - Parameter indentation: the value's indentation; nil writes everything on one line.
    private func append(to bytes: inout [UInt8], indentation: Int?) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value): bytes += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let text): Self.append(text, to: &bytes)
        case .array(let elements):
            Self.append(elements, in: "[]", to: &bytes, indentation) { element, bytes, inner in
                element.append(to: &bytes, indentation: inner)
            }
        case .object(let members):
            Self.append(members, in: "{}", to: &bytes, indentation) { member, bytes, inner in
                Self.append(Array(member.name.utf8), to: &bytes)
                bytes += (inner == nil ? ":" : ": ").utf8
                member.value.append(to: &bytes, indentation: inner)
            }
        }
    }

    private static func append<Part>(
        _ parts: [Part], in brackets: String, to bytes: inout [UInt8], _ indentation: Int?,
        append: (Part, inout [UInt8], Int?) -> Void
    ) {
        let inner = indentation.map { $0 + 2 }
        func endLine(_ indentation: Int?) {
            guard let indentation else { return }
            bytes += ("\n" + String(repeating: " ", count: indentation)).utf8
        }
        bytes += brackets.utf8.prefix(1)
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            endLine(inner)
            append(part, &bytes, inner)
        }
        if !parts.isEmpty { endLine(indentation) }
        bytes += brackets.utf8.suffix(1)
    }

    /// Appends a quoted string. Bytes that are not UTF-8 become U+FFFD.
    private static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if text.allSatisfy({ 0x20...0x7e ~= $0 && $0 != 0x22 && $0 != 0x5C }) {
            bytes += text
        } else {
            for byte in String(decoding: text, as: UTF8.self).utf8 { append(byte, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes += #"\""#.utf8
        case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
        case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
        case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
        case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
        case 0..<0x20, 0x7f:
            bytes += ((byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)).utf8
        default: bytes.append(byte)
        }
    }
}
