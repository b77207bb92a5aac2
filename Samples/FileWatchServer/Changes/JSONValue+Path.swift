import WireFormats

extension JSONValue {
    /// The members for a file's path. A path that is not UTF-8 appears twice, readable and as
    /// base64: most JSON parsers refuse or drop escapes for single bytes (`\udc80`).
    static func path(_ name: String, _ path: [UInt8]) -> [Member] {
        let isText = String(validating: path, as: UTF8.self) != nil
        let readable = (name, JSONValue.string(path))
        return isText ? [readable] : [readable, (name + "Bytes", .string(base64(path)))]
    }

    /// Seconds since 1970 in microseconds, which a double can represent.
    static func seconds(nanoseconds: Int64) -> JSONValue {
        .number(Double(nanoseconds / 1000) / 1e6)
    }

    /// Base64. RFC 4648.
    private static func base64(_ data: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return stride(from: 0, to: data.count, by: 3).flatMap { start in
            let group = data[start...].prefix(3)
            let bits = (0..<3).reduce(0) {
                $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0)
            }
            return (0..<4).map { index in
                index <= group.count ? digits[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "=")
            }
        }
    }
}
