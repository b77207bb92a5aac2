/// The endless text of RFC 864: lines of 72 printable characters, each shifted by one.
struct CharacterGenerator {
    /// One period of the text: the lines that start at each printable character.
    private static let text: [UInt8] = {
        let printable = Array(UInt8(ascii: " ")...UInt8(ascii: "~"))
        let lines = printable.indices.map { start in
            (0..<72).map { printable[(start + $0) % printable.count] } + Array("\r\n".utf8)
        }
        return Array(lines.joined())
    }()

    static let roundBytes = text.count

    private var position = 0

    /// Passes the next bytes to `body`: at least one, at most `limit`.
    mutating func next(_ limit: Int, _ body: (RawSpan) -> Void) {
        let count = min(max(1, limit), Self.roundBytes - position)
        body(Self.text.span.bytes.extracting(position..<position + count))
        position = (position + count) % Self.roundBytes
    }

    static func prefix(_ count: Int) -> [UInt8] { Array(text.prefix(count)) }
}
