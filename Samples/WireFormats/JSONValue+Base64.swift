extension JSONValue {
    /// Bytes as a string in base64. RFC 4648.
    package static func base64(_ bytes: [UInt8]) -> JSONValue {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let text = stride(from: 0, to: bytes.count, by: 3).flatMap { start in
            let group = bytes[start...].prefix(3)
            let bits = (0..<3).reduce(0) {
                $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0)
            }
            return (0..<4).map { index in
                index <= group.count ? digits[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "=")
            }
        }
        return .string(text)
    }
}
