/// The head of an HTTP/1.x message: its first line and its fields. RFC 9112.
///
/// It stays bytes: HTTP is defined on bytes, and a Swift String sees line ends where HTTP has none.
package struct HTTPHead: Sendable {
    package typealias Field = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

    package let firstLine: ArraySlice<UInt8>
    /// Values have no surrounding spaces.
    package private(set) var fields: [Field] = []

    /// - Parameter bytes: the lines before the empty one. CRLF or LF separates them.
    package init(_ bytes: [UInt8]) throws(FormatFailure) {
        var rest = bytes[...]
        firstLine = Self.takeLine(&rest) ?? []
        fields.reserveCapacity(16)
        while let line = Self.takeLine(&rest) { fields.append(try Self.field(line)) }
    }

    /// The values of all fields with this name.
    /// - Parameter name: in lower case.
    package func values(_ name: StaticString) -> [ArraySlice<UInt8>] {
        fields.filter { field in
            name.withUTF8Buffer { name in
                field.name.elementsEqual(name) { Self.lowercased($0) == $1 }
            }
        }.map(\.value)
    }

    /// The value of a field in lower case. Of repeated fields, the last one counts.
    package func text(_ name: StaticString) -> String? {
        values(name).last.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }

    /// Whether the sender keeps the connection open after this message.
    /// - Parameter isOld: whether the message is HTTP/1.0.
    package func keepsAlive(isOld: Bool) -> Bool {
        let words = values("connection").flatMap { value in
            value.split { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
        }.map { String(decoding: $0, as: UTF8.self).lowercased() }
        return !words.contains("close") && (!isOld || words.contains("keep-alive"))
    }

    /// Whether the bytes are a token: a method or a field's name. RFC 9110, 5.6.2.
    package static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isLetterOrDigit($0) || tokenMarks.contains($0) }
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            defer { rest = [] }
            return rest
        }
        defer { rest = rest[(end + 1)...] }
        return withoutLineEnd(rest[...end])
    }

    /// - Parameter line: ends with CRLF or LF.
    static func withoutLineEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = line.dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(FormatFailure) -> Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]),
            case let value = trimmed(line[(colon + 1)...]), value.allSatisfy(isOfValue)
        else {
            let text = String(decoding: line.prefix(40), as: UTF8.self)
            throw FormatFailure(words: "a line of its head is '\(text)'")
        }
        return (line[..<colon], value)
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var value = value
        while let first = value.first, isSpace(first) { value.removeFirst() }
        while let last = value.last, isSpace(last) { value.removeLast() }
        return value
    }

    /// VCHAR, obs-text, space and tab. RFC 9110, 5.5.
    private static func isOfValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == UInt8(ascii: "\t")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
