/// Swift source with comments and literals replaced by spaces, so that every remaining brace or
/// keyword is code. Line numbers stay the same.
func codeOnly(_ source: String) -> String {
    var lexer = Lexer(bytes: Array(source.utf8))
    lexer.code(untilParenthesis: false)
    return String(decoding: lexer.output, as: UTF8.self)
}

/// A lexer for comments, which nest; single-line, multi-line and raw literals; and interpolations,
/// which contain code.
private struct Lexer {
    let bytes: [UInt8]
    private(set) var output: [UInt8] = []
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count)
    }

    private var isAtEnd: Bool { position >= bytes.count }

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[min(position, bytes.count)...].starts(with: $0) }
    }

    private mutating func keep() {
        output.append(bytes[position])
        position += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where !isAtEnd {
            output.append(bytes[position] == UInt8(ascii: "\n") ? UInt8(ascii: "\n") : 0x20)
            position += 1
        }
    }

    /// Copies code up to the end, or to the parenthesis that ends an interpolation.
    mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while !isAtEnd {
            // Most bytes are none of these; the comparisons below are slow in a debug build.
            let byte = bytes[position]
            if byte > UInt8(ascii: "/") || byte < UInt8(ascii: "\"") {
                keep()
            } else if isAt("//") {
                while !isAtEnd, bytes[position] != UInt8(ascii: "\n") { blank() }
            } else if isAt("/*") {
                comment()
            } else if isAt("\"") || isAt("#") {
                literal()
            } else if untilParenthesis, isAt(")"), depth == 0 {
                return
            } else {
                if isAt("(") { depth += 1 }
                if isAt(")") { depth -= 1 }
                keep()
            }
        }
    }

    private mutating func comment() {
        blank(2)
        while !isAtEnd, !isAt("*/") {
            if isAt("/*") { comment() } else { blank() }
        }
        blank(2)
    }

    /// Blanks a literal. Starts at a quotation mark, or at number signs that may precede one.
    private mutating func literal() {
        var signs = 0
        while position + signs < bytes.count, bytes[position + signs] == UInt8(ascii: "#") {
            signs += 1
        }
        guard position + signs < bytes.count, bytes[position + signs] == UInt8(ascii: "\"") else {
            for _ in 0..<signs { keep() }
            return
        }
        blank(signs)
        let hasManyLines = isAt("\"\"\"")
        blank(hasManyLines ? 3 : 1)
        while !isAtEnd {
            if isEnd(signs, hasManyLines) {
                return blank(signs + (hasManyLines ? 3 : 1))
            } else if isEscape(signs) {
                blank(1 + signs)
                if isAt("(") {
                    blank()
                    code(untilParenthesis: true)
                }
                blank()
            } else if !hasManyLines, isAt("\n") {
                return
            } else {
                blank()
            }
        }
    }

    private func isEnd(_ signs: Int, _ hasManyLines: Bool) -> Bool {
        let quotes = hasManyLines ? 3 : 1
        guard position + quotes + signs <= bytes.count else { return false }
        return bytes[position..<position + quotes].allSatisfy { $0 == UInt8(ascii: "\"") }
            && bytes[position + quotes..<position + quotes + signs]
                .allSatisfy { $0 == UInt8(ascii: "#") }
    }

    private func isEscape(_ signs: Int) -> Bool {
        guard isAt("\\"), position + signs < bytes.count else { return false }
        return bytes[position + 1..<position + 1 + signs].allSatisfy { $0 == UInt8(ascii: "#") }
    }
}
