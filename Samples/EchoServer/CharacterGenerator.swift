import RingDispatch

/// The endless text of RFC 864: lines of 72 printable characters, each shifted by one.
enum CharacterGenerator {
    /// One period of the text: the lines that start at each printable character.
    private static let text: [UInt8] = {
        let printable = Array(UInt8(ascii: " ")...UInt8(ascii: "~"))
        let lines = printable.indices.map { start in
            (0..<72).map { printable[(start + $0) % printable.count] } + Array("\r\n".utf8)
        }
        return Array(lines.joined())
    }()

    /// Nine periods, about 64 KiB. One after the other, they are the endless text.
    static let block: DispatchData = {
        let periods = repeatElement(text, count: 9).joined()
        return Array(periods).withUnsafeBytes { DispatchData(bytes: $0) }
    }()

    static func prefix(_ count: Int) -> [UInt8] { Array(text.prefix(count)) }
}
