/// The head of an HTTP/1.x message: its first line and its fields. RFC 9112.
///
/// Fields stay bytes: Strings would cost more than the rest of the message.
package struct HTTPHead: Sendable {
    package struct Failure: Error {
        package let words: String
    }

    private let bytes: [UInt8]
    /// The first line, then one range per field.
    private var lines: [Range<Int>] = []

    /// - Parameter bytes: the lines before the empty one.
    package init(_ bytes: [UInt8]) throws(Failure) {
        self.bytes = bytes
        lines.reserveCapacity(16)
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
            if start < index { try append(start..<index) }
            start = index + 1
        }
        if start < bytes.count { try append(start..<bytes.count) }
    }

    private mutating func append(_ line: Range<Int>) throws(Failure) {
        if !lines.isEmpty, !bytes[line].contains(UInt8(ascii: ":")) {
            let text = String(decoding: bytes[line].prefix(40), as: UTF8.self)
            throw Failure(words: "a line of its head is '\(text)'")
        }
        lines.append(line)
    }

    package var firstLine: ArraySlice<UInt8> { lines.first.map { bytes[$0] } ?? [] }

    /// The value of a field without surrounding spaces. Of repeated fields, the last one counts.
    /// - Parameter name: in lower case.
    package subscript(name: StaticString) -> ArraySlice<UInt8>? {
        guard let line = lines.dropFirst().last(where: { begins($0, with: name) }) else {
            return nil
        }
        var value = bytes[line].dropFirst(name.utf8CodeUnitCount + 1)
        while let first = value.first, Self.isSpace(first) { value.removeFirst() }
        while let last = value.last, Self.isSpace(last) { value.removeLast() }
        return value
    }

    package func text(_ name: StaticString) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self).lowercased() }
    }

    /// Whether the sender keeps the connection open after this message.
    /// - Parameter isOld: whether the message is HTTP/1.0.
    package func keepsAlive(isOld: Bool) -> Bool {
        let words = text("connection")?.utf8.split { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
        let word = isOld ? "keep-alive" : "close"
        return words?.contains { $0.elementsEqual(word.utf8) } ?? false == isOld
    }

    private func begins(_ line: Range<Int>, with name: StaticString) -> Bool {
        let end = line.lowerBound + name.utf8CodeUnitCount
        guard end < line.upperBound, bytes[end] == UInt8(ascii: ":") else { return false }
        return name.withUTF8Buffer { name in
            name.indices.allSatisfy { Self.lowercased(bytes[line.lowerBound + $0]) == name[$0] }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
