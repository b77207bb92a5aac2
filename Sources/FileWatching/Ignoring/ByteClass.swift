/// The bytes that a bracket expression matches: `[a-z]`, `[!0-9]`, `[[:alpha:]_]`.
struct ByteClass {
    private var ranges: [ClosedRange<UInt8>] = []
    private var isNegated = false

    private static let named: [String: [ClosedRange<UInt8>]] = [
        "alpha": [0x41...0x5a, 0x61...0x7a],
        "upper": [0x41...0x5a],
        "lower": [0x61...0x7a],
        "digit": [0x30...0x39],
        "alnum": [0x30...0x39, 0x41...0x5a, 0x61...0x7a],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
        "space": [0x09...0x0d, 0x20...0x20],
        "blank": [0x09...0x09, 0x20...0x20],
        "punct": [0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e],
        "cntrl": [0x00...0x1f, 0x7f...0x7f],
        "print": [0x20...0x7e],
        "graph": [0x21...0x7e],
    ]
    private static let longestName = 8

    /// Matches nothing.
    init() {}

    func contains(_ byte: UInt8) -> Bool {
        ranges.contains { $0.contains(byte) } != isNegated
    }

    /// - Parameter pattern: the text after the opening bracket. Becomes the text after the closing
    ///   bracket.
    /// - Returns: nil if there is none.
    static func parse(_ pattern: inout ArraySlice<UInt8>) -> ByteClass? {
        var rest = pattern
        var result = ByteClass()
        if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^") {
            result.isNegated = true
            rest = rest.dropFirst()
        }
        var isFirst = true
        while let next = rest.first {
            if next == UInt8(ascii: "]") && !isFirst {
                pattern = rest.dropFirst()
                return result
            }
            isFirst = false
            if let (ranges, tail) = namedClass(rest) {
                result.ranges += ranges
                rest = tail
                continue
            }
            guard let (low, tail) = literal(rest) else { return nil }
            rest = tail
            if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]"),
                let (high, tail) = literal(rest.dropFirst())
            {
                if low <= high { result.ranges.append(low...high) }
                rest = tail
            } else {
                result.ranges.append(low...low)
            }
        }
        return nil
    }

    private static func literal(_ text: ArraySlice<UInt8>) -> (UInt8, ArraySlice<UInt8>)? {
        guard let first = text.first else { return nil }
        guard first == UInt8(ascii: "\\") else { return (first, text.dropFirst()) }
        return text.dropFirst().first.map { ($0, text.dropFirst(2)) }
    }

    /// A named class such as `[:alpha:]`; an unknown one is empty.
    private static func namedClass(
        _ text: ArraySlice<UInt8>
    ) -> (ranges: [ClosedRange<UInt8>], rest: ArraySlice<UInt8>)? {
        guard text.starts(with: "[:".utf8) else { return nil }
        let inner = text.dropFirst(2)
        guard let colon = inner.prefix(longestName).firstIndex(of: UInt8(ascii: ":")),
            inner[colon...].starts(with: ":]".utf8)
        else { return nil }
        let name = String(decoding: inner[..<colon], as: UTF8.self)
        return (named[name] ?? [], inner[(colon + 2)...])
    }
}
