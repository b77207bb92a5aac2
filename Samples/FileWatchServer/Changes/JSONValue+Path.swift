import WireFormats

extension JSONValue {
    /// The members for a file's path. A path that is not UTF-8 appears twice, readable and as
    /// base64: most JSON parsers refuse or drop escapes for single bytes (`\udc80`).
    static func path(_ name: String, _ path: [UInt8]) -> [Member] {
        let isText = String(validating: path, as: UTF8.self) != nil
        let readable = (name, JSONValue.string(path))
        return isText ? [readable] : [readable, (name + "Bytes", .base64(path))]
    }

    /// Seconds since 1970 in microseconds, which a double can represent.
    static func seconds(nanoseconds: Int64) -> JSONValue {
        .number(Double(nanoseconds / 1000) / 1e6)
    }
}
