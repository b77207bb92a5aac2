/// The head of an HTTP/1.x message: its first line and its fields. RFC 9112.
package struct HTTPHead: Sendable {
    package struct Failure: Error {
        package let words: String
    }

    package let firstLine: String
    /// A line each.
    private let fields: [ArraySlice<UInt8>]

    /// - Parameter bytes: the lines up to the empty one.
    package init(_ bytes: [UInt8]) throws(Failure) {
        var lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }[...]
        firstLine = String(decoding: lines.popFirst() ?? [], as: UTF8.self)
        for line in lines where !line.contains(UInt8(ascii: ":")) {
            let text = String(decoding: line.prefix(40), as: UTF8.self)
            throw Failure(words: "a line of its head is '\(text)'")
        }
        fields = Array(lines)
    }

    /// A field's value, in lower case and without the spaces around it; nil: there is no such
    /// field. The last one counts.
    /// - Parameter name: in lower case.
    package subscript(name: StaticString) -> String? {
        let field = fields.last { line in
            name.withUTF8Buffer { name in
                line.count > name.count
                    && line[line.startIndex + name.count] == UInt8(ascii: ":")
                    && zip(line, name).allSatisfy { Self.lowercased($0) == $1 }
            }
        }
        guard var value = field?.dropFirst(name.utf8CodeUnitCount + 1) else { return nil }
        while let first = value.first, Self.isSpace(first) { value.removeFirst() }
        while let last = value.last, Self.isSpace(last) { value.removeLast() }
        return String(decoding: value, as: UTF8.self).lowercased()
    }

    /// Whether the sender keeps the connection open after this message.
    /// - Parameter version: the message's, such as `HTTP/1.1`.
    package func keepsAlive(_ version: some StringProtocol) -> Bool {
        let connection = self["connection"] ?? ""
        return version == "HTTP/1.0"
            ? connection.contains("keep-alive") : !connection.contains("close")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
