/// Writes JSON text (RFC 8259) as bytes, since file names are bytes.
package struct JSONWriter {
    /// What comes before the next value or name: a bracket, another value, or its own name.
    private enum Place { case first, next, afterName }

    package private(set) var bytes: [UInt8] = []
    private var place = Place.afterName
    private var depth = 0
    private let isIndented: Bool

    package init(capacity: Int = 0, isIndented: Bool = false) {
        self.isIndented = isIndented
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { begin("{") }
    package mutating func endObject() { end("}") }
    package mutating func beginArray() { begin("[") }
    package mutating func endArray() { end("]") }

    package mutating func name(_ name: StaticString) {
        separate()
        name.withUTF8Buffer { text in
            bytes.append(addingCapacity: text.count + 3) { span in
                span.append(UInt8(ascii: "\""))
                for byte in text { span.append(byte) }
                span.append(UInt8(ascii: "\""))
                span.append(UInt8(ascii: ":"))
            }
        }
        place = .afterName
    }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .object(let members):
            beginObject()
            for member in members {
                string(member.name)
                append(": ")
                place = .afterName
                self.value(member.value)
            }
            endObject()
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .string(let text): string(text)
        case .integer(let value): integer(value)
        case .number(let value): raw(value.isFinite ? Array("\(value)".utf8) : Array("null".utf8))
        case .boolean(let value): boolean(value)
        case .null: raw(Array("null".utf8))
        }
    }

    package mutating func integer(_ value: UInt64) {
        separate()
        appendDigits(value)
    }

    package mutating func boolean(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    /// Seconds with microseconds, which a double holds exactly enough.
    package mutating func seconds(nanoseconds: Int64) {
        separate()
        let microseconds = (nanoseconds / 1000).magnitude
        if nanoseconds <= -1000 { append(character: "-") }
        appendDigits(microseconds / 1_000_000)
        append(character: ".")
        appendDigits(microseconds % 1_000_000, atLeast: 6)
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    package mutating func string(_ text: [UInt8]) { text.withUnsafeBufferPointer { string($0) } }

    /// Bytes that are not UTF-8 become U+FFFD; see ``path(_:bytesName:_:)``.
    private mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        append(character: "\"")
        if !appendPlain(text) {
            for byte in String(decoding: text, as: UTF8.self).utf8 { appendEscaped(byte) }
        }
        append(character: "\"")
    }

    /// Returns false, and appends nothing, when some byte needs another form.
    private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var isPlain = true
        bytes.append(addingCapacity: text.count) { span in
            for byte in text {
                guard Self.isPlain(byte) else {
                    isPlain = false
                    return span.removeAll()
                }
                span.append(byte)
            }
        }
        return isPlain
    }

    /// A file's path. One that is not UTF-8 is written twice: readable, and as base64, so that no
    /// byte is lost. (Most JSON parsers refuse or drop escapes for single bytes, `\udc80`.)
    package mutating func path(_ name: StaticString, bytesName: StaticString, _ path: [UInt8]) {
        self.name(name)
        string(path)
        guard !path.allSatisfy(Self.isPlain),
            !String(decoding: path, as: UTF8.self).utf8.elementsEqual(path)
        else { return }
        self.name(bytesName)
        separate()
        append(character: "\"")
        appendBase64(path)
        append(character: "\"")
    }

    /// JSON text, as the next value.
    package mutating func raw(_ text: [UInt8]) {
        separate()
        bytes.append(contentsOf: text)
    }

    package mutating func endLine() {
        append(character: "\n")
        place = .afterName
    }

    /// Forgets the text, but not its place, and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    // MARK: parts

    private mutating func begin(_ bracket: Unicode.Scalar) {
        separate()
        append(character: bracket)
        depth += 1
        place = .first
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        depth -= 1
        if place == .next { indent() }
        append(character: bracket)
        place = .next
    }

    private mutating func separate() {
        if place == .next { append(character: ",") }
        if place != .afterName { indent() }
        place = .next
    }

    private mutating func indent() {
        guard isIndented else { return }
        bytes += [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth)
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    @inline(__always)
    private mutating func append(character: Unicode.Scalar) {
        bytes.append(UInt8(ascii: character))
    }

    /// - Parameter count: leading zeros fill the number up to this many digits.
    private mutating func appendDigits(_ value: UInt64, atLeast count: Int = 1) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        var rest = value
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0 || digits.count - start < count
        bytes.append(addingCapacity: digits.count - start) { span in
            for index in start..<digits.count { span.append(digits[index]) }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20...0x7e ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        case 0..<0x20, 0x7f:
            append("\\u00")
            bytes.append(Self.hexadecimalDigit(byte >> 4))
            bytes.append(Self.hexadecimalDigit(byte & 15))
        default: bytes.append(byte)
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// RFC 4648.
    private mutating func appendBase64(_ data: [UInt8]) {
        for start in stride(from: 0, to: data.count, by: 3) {
            let group = data[start...].prefix(3)
            var bits: UInt32 = 0
            for index in 0..<3 {
                bits = bits << 8 | (index < group.count ? UInt32(group[start + index]) : 0)
            }
            for index in 0..<4 {
                let digit = UInt8(bits >> UInt32(18 - 6 * index) & 63)
                bytes.append(index <= group.count ? Self.base64Digit(digit) : UInt8(ascii: "="))
            }
        }
    }

    private static func base64Digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
