#if TLS
/// The extension in which a client names the server (RFC 6066, section 3).
enum ServerNameExtension {
    /// The host name in it; nil when it has none or is broken, which OpenSSL finds out later.
    static func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Two bytes for the list's length, one for the kind (0: host name), two for the name's.
        guard bytes.count >= 5, bytes[2] == 0 else { return nil }
        let count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard count > 0, count <= 255, 5 + count <= bytes.count else { return nil }
        let name = bytes[5..<5 + count]
        guard name.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return TLSServerNames.normalized(String(decoding: name, as: UTF8.self))
    }
}
#endif
