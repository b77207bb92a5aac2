/// Takes a typed line apart: words between white space, "quoted" with escapes, or 'quoted'.
enum InlineCommand {
    /// Appends the line's words. Quotes and escapes are resolved in place, where they only get
    /// shorter. False: a quote has no end, or something follows it directly.
    static func split(
        _ line: UnsafeMutableRawBufferPointer, into arguments: inout ArgumentList
    ) -> Bool {
        var reader = 0
        while true {
            while reader < line.count, isSpace(line[reader]) { reader += 1 }
            guard reader < line.count else { return true }
            let start = reader
            var writer = reader
            while reader < line.count, !isSpace(line[reader]) {
                let byte = line[reader]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    guard unquote(line, &reader, &writer) else { return false }
                } else {
                    line[writer] = byte
                    reader += 1
                    writer += 1
                }
            }
            arguments.append(Argument(offset: start, count: writer - start))
        }
    }

    /// Resolves the quoted part that begins at `reader`; what follows must be white space.
    private static func unquote(
        _ line: UnsafeMutableRawBufferPointer, _ reader: inout Int, _ writer: inout Int
    ) -> Bool {
        let quote = line[reader]
        reader += 1
        while reader < line.count {
            let byte = line[reader]
            if byte == quote {
                reader += 1
                return reader == line.count || isSpace(line[reader])
            }
            if byte == UInt8(ascii: "\\"), reader + 1 < line.count {
                line[writer] = escaped(line, &reader, in: quote)
            } else {
                line[writer] = byte
                reader += 1
            }
            writer += 1
        }
        return false
    }

    /// The byte that the escape at `reader` stands for.
    private static func escaped(
        _ line: UnsafeMutableRawBufferPointer, _ reader: inout Int, in quote: UInt8
    ) -> UInt8 {
        let letter = line[reader + 1]
        if quote == UInt8(ascii: "'") {
            // Only the quote itself can be escaped here.
            guard letter == quote else {
                reader += 1
                return UInt8(ascii: "\\")
            }
            reader += 2
            return quote
        }
        if letter == UInt8(ascii: "x"), reader + 3 < line.count,
            let high = hexDigit(line[reader + 2]), let low = hexDigit(line[reader + 3])
        {
            reader += 4
            return high << 4 | low
        }
        reader += 2
        switch letter {
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "a"): return 0x07
        default: return letter
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte == 0
    }
}
