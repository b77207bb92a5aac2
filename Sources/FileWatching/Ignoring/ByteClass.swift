/// The bytes that a bracket expression matches: `[a-z]`, `[!0-9]`, `[[:alpha:]_]`.
struct ByteClass {
    /// A bit for each byte.
    private var bits = InlineArray<4, UInt64>(repeating: 0)

    init() {}

    func contains(_ byte: UInt8) -> Bool {
        bits[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0
    }

    mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    mutating func remove(_ byte: UInt8) { bits[Int(byte >> 6)] &= ~(1 << UInt64(byte & 63)) }

    private mutating func negate() { for word in bits.indices { bits[word] = ~bits[word] } }

    /// - Parameter pattern: the text after the opening bracket. Becomes the text after the closing
    ///   bracket.
    /// - Returns: nil if there is none.
    static func parse(_ pattern: inout ArraySlice<UInt8>) -> ByteClass? {
        var rest = pattern
        var result = ByteClass()
        var isNegated = false
        if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^") {
            isNegated = true
            rest = rest.dropFirst()
        }
        var isFirst = true
        while let next = rest.first {
            if next == UInt8(ascii: "]") && !isFirst {
                pattern = rest.dropFirst()
                if isNegated { result.negate() }
                return result
            }
            isFirst = false
            if let (holds, tail) = named(rest) {
                for byte in UInt8.min ... .max where holds(byte) { result.insert(byte) }
                rest = tail
                continue
            }
            guard let (low, tail) = literal(rest) else { return nil }
            rest = tail
            if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]"),
                let (high, tail) = literal(rest.dropFirst())
            {
                if low <= high { for byte in low...high { result.insert(byte) } }
                rest = tail
            } else {
                result.insert(low)
            }
        }
        return nil
    }

    private static func literal(_ text: ArraySlice<UInt8>) -> (UInt8, ArraySlice<UInt8>)? {
        guard let first = text.first else { return nil }
        guard first == UInt8(ascii: "\\") else { return (first, text.dropFirst()) }
        return text.dropFirst().first.map { ($0, text.dropFirst(2)) }
    }

    private static let longestName = 8

    /// A named class such as `[:alpha:]`.
    private static func named(
        _ text: ArraySlice<UInt8>
    ) -> (holds: (UInt8) -> Bool, rest: ArraySlice<UInt8>)? {
        guard text.starts(with: "[:".utf8) else { return nil }
        let inner = text.dropFirst(2)
        guard let colon = inner.prefix(longestName).firstIndex(of: UInt8(ascii: ":")),
            inner[colon...].starts(with: ":]".utf8)
        else { return nil }
        let name = String(decoding: inner[..<colon], as: UTF8.self)
        return (members(of: name), inner[(colon + 2)...])
    }

    private static func members(of name: String) -> (UInt8) -> Bool {
        func isUpper(_ byte: UInt8) -> Bool { 0x41...0x5a ~= byte }
        func isLower(_ byte: UInt8) -> Bool { 0x61...0x7a ~= byte }
        func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            isUpper(byte) || isLower(byte) || isDigit(byte)
        }
        switch name {
        case "alpha": return { isUpper($0) || isLower($0) }
        case "upper": return isUpper
        case "lower": return isLower
        case "digit": return isDigit
        case "alnum": return isAlphanumeric
        case "xdigit": return { isDigit($0) || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
        case "space": return { $0 == 0x20 || 0x09...0x0d ~= $0 }
        case "blank": return { $0 == 0x20 || $0 == 0x09 }
        case "punct": return { 0x21...0x7e ~= $0 && !isAlphanumeric($0) }
        case "cntrl": return { $0 < 0x20 || $0 == 0x7f }
        case "print": return { 0x20...0x7e ~= $0 }
        case "graph": return { 0x21...0x7e ~= $0 }
        default: return { _ in false }
        }
    }
}
