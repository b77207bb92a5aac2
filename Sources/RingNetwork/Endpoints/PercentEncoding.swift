/// Percent-encoding (RFC 3986), such as `%2F`, for names with arbitrary bytes.
enum PercentEncoding {
    /// Printable ASCII is kept, except `%`, `?` and `#`, which have a meaning in URLs.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            isPlain(byte) && byte != sign ? String(UnicodeScalar(byte)) : encode(byte)
        }.joined()
    }

    static func encode(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
    }

    private static let sign = UInt8(ascii: "%")

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x21...0x7e ~= byte && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }

    /// Decodes the output of `encode`. Bytes beyond ASCII need no encoding; spaces, control
    /// characters, `?` and `#` do.
    static func decode(_ text: ArraySlice<UInt8>) throws(EndpointError) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == sign {
                guard let high = rest.popFirst()?.hexadecimalValue,
                    let low = rest.popFirst()?.hexadecimalValue
                else {
                    throw EndpointError(
                        .invalidPercentEncoding, text,
                        "has a '%' without two hexadecimal digits after it",
                        remedy: "write %25 for a percent sign")
                }
                bytes.append(high << 4 | low)
            } else if isPlain(byte) || byte >= 0x80 {
                bytes.append(byte)
            } else {
                throw EndpointError(
                    .strayCharacters, text, "has a character that a URL cannot have there",
                    remedy: "write \(encode(byte)) for it")
            }
        }
        return bytes
    }
}
