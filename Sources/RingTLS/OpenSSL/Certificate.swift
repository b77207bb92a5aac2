#if TLS
internal import CTLS

/// An owned reference to an OpenSSL X509.
final class Certificate {
    let handle: OpaquePointer

    init(adopting handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { X509_free(handle) }

    /// The subject, as one line.
    var subject: String {
        guard let text = X509_NAME_oneline(X509_get_subject_name(handle), nil, 0) else { return "" }
        defer { CRYPTO_free(text, nil, 0) }
        return String(cString: text)
    }

    var isExpired: Bool { X509_cmp_current_time(X509_get0_notAfter(handle)) < 0 }
    var isNotYetValid: Bool { X509_cmp_current_time(X509_get0_notBefore(handle)) > 0 }

    /// The DER encoding of an X509 object.
    static func der(_ handle: OpaquePointer?) -> [UInt8] {
        let count = Int(i2d_X509(handle, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            // Safety: OpenSSL writes `count` bytes, and advances only the local cursor.
            var cursor = buffer.baseAddress
            written = max(0, Int(i2d_X509(handle, &cursor)))
        }
    }

    /// The DER encodings of a stack of certificates. The stack stays owned by OpenSSL.
    static func ders(_ stack: OpaquePointer?) -> [[UInt8]] {
        (0..<ctls_certificate_count(stack)).map { der(ctls_certificate(stack, $0)) }
    }
}
#endif
