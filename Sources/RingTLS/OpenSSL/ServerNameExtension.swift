#if TLS
/// Parser of the SNI extension (RFC 6066, section 3).
enum ServerNameExtension {
    /// The host name; nil if there is none or the extension is malformed, which OpenSSL reports
    /// later.
    static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // List length (2 bytes), kind (1 byte, 0: host name), name length (2 bytes).
        guard bytes.count >= 5, bytes[2] == 0 else { return nil }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard count > 0, count <= 255, 5 + count <= bytes.count else { return nil }
        let name = bytes[5..<5 + count]
        guard name.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return TLSServerNames.normalized(String(decoding: name, as: UTF8.self))
    }
}
#endif
