/// Matches bracket expressions: `[a-z]`, `[!0-9]`, `[[:alpha:]_]`.
enum ByteClass {
    /// - Parameter pattern: the text after the opening bracket.
    /// - Returns: whether the byte matches, and the text after the closing bracket; nil if there is
    ///   none.
    static func match(
        _ pattern: ArraySlice<UInt8>, _ byte: UInt8
    ) -> (isIn: Bool, rest: ArraySlice<UInt8>)? {
        var rest = pattern
        var isNegated = false
        if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^") {
            isNegated = true
            rest = rest.dropFirst()
        }
        var isIn = false
        var isFirst = true
        while let next = rest.first {
            if next == UInt8(ascii: "]") && !isFirst {
                return (isIn != isNegated, rest.dropFirst())
            }
            isFirst = false
            if let (holds, tail) = named(rest, byte) {
                isIn = isIn || holds
                rest = tail
                continue
            }
            guard let (low, tail) = literal(rest) else { return nil }
            rest = tail
            if rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]"),
                let (high, tail) = literal(rest.dropFirst())
            {
                isIn = isIn || (low <= byte && byte <= high)
                rest = tail
            } else {
                isIn = isIn || low == byte
            }
        }
        return nil
    }

    private static func literal(_ text: ArraySlice<UInt8>) -> (UInt8, ArraySlice<UInt8>)? {
        guard let first = text.first else { return nil }
        guard first == UInt8(ascii: "\\") else { return (first, text.dropFirst()) }
        return text.dropFirst().first.map { ($0, text.dropFirst(2)) }
    }

    /// A named class such as `[:alpha:]`.
    private static func named(
        _ text: ArraySlice<UInt8>, _ byte: UInt8
    ) -> (Bool, ArraySlice<UInt8>)? {
        guard text.starts(with: "[:".utf8) else { return nil }
        let inner = text.dropFirst(2)
        guard let colon = inner.firstIndex(of: UInt8(ascii: ":")),
            inner[colon...].starts(with: ":]".utf8)
        else { return nil }
        let name = String(decoding: inner[..<colon], as: UTF8.self)
        return (holds(name, byte), inner[(colon + 2)...])
    }

    private static func holds(_ name: String, _ byte: UInt8) -> Bool {
        let isUpper = (0x41...0x5a).contains(byte)
        let isLower = (0x61...0x7a).contains(byte)
        let isDigit = (0x30...0x39).contains(byte)
        switch name {
        case "alpha": return isUpper || isLower
        case "upper": return isUpper
        case "lower": return isLower
        case "digit": return isDigit
        case "alnum": return isUpper || isLower || isDigit
        case "xdigit":
            return isDigit || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
        case "space": return byte == 0x20 || (0x09...0x0d).contains(byte)
        case "blank": return byte == 0x20 || byte == 0x09
        case "punct":
            return (0x21...0x7e).contains(byte) && !(isUpper || isLower || isDigit)
        case "cntrl": return byte < 0x20 || byte == 0x7f
        case "print": return (0x20...0x7e).contains(byte)
        case "graph": return (0x21...0x7e).contains(byte)
        default: return false
        }
    }
}
