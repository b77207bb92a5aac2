#if TLS
import CTLS
import Glibc

/// The contents of a test's certificate.
package struct CertificateRequest {
    package var name: String
    /// As in OpenSSL's configuration: `DNS:localhost,IP:127.0.0.1`.
    package var alternativeNames: String?
    /// The start and end of its validity, in seconds from now.
    package var beginsSeconds: Int
    package var endsSeconds: Int
    package var isAuthority: Bool

    package init(
        name: String = "localhost",
        alternativeNames: String? = "DNS:localhost,IP:127.0.0.1",
        beginsSeconds: Int = -3600, endsSeconds: Int = 24 * 3600, isAuthority: Bool = false
    ) {
        self.name = name
        self.alternativeNames = alternativeNames
        self.beginsSeconds = beginsSeconds
        self.endsSeconds = endsSeconds
        self.isAuthority = isAuthority
    }
}

/// A certificate and its key, made for a test run and never stored but in a scratch folder.
package final class Issued: @unchecked Sendable {
    // Safety: neither object is changed after it is made; OpenSSL counts references with atomics.
    package let certificate: OpaquePointer
    package let key: OpaquePointer

    /// Signed by `issuer`, or by itself.
    package init(_ request: CertificateRequest, issuer: Issued? = nil) {
        key = Issued.makeKey()
        certificate = X509_new()
        X509_set_version(certificate, 2)
        var serial: UInt64 = 0
        RAND_bytes(&serial, 8)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), request.beginsSeconds)
        X509_gmtime_adj(X509_getm_notAfter(certificate), request.endsSeconds)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(subject, "CN", asciiText, request.name, -1, -1, 0)
        X509_set_issuer_name(
            certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
        let constraint = request.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
        extend(NID_basic_constraints, constraint)
        if let names = request.alternativeNames { extend(NID_subject_alt_name, names) }
        let isSigned = X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0
        precondition(isSigned, "X509_sign")
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// MBSTRING_ASC, a macro.
    private var asciiText: Int32 { 0x1001 }

    private static func makeKey() -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_group_name(context, "P-256")
        var key: OpaquePointer?
        precondition(EVP_PKEY_generate(context, &key) == 1, "EVP_PKEY_generate")
        return key!
    }

    private func extend(_ kind: Int32, _ value: String) {
        let part = X509V3_EXT_conf_nid(nil, nil, kind, value)
        precondition(part != nil && X509_add_ext(certificate, part, -1) == 1, value)
        X509_EXTENSION_free(part)
    }

    /// The certificate as PEM text.
    package var certificatePEM: [UInt8] { pem { PEM_write_bio_X509($0, certificate) } }

    /// The key as PEM text, encrypted where there is a password.
    package func keyPEM(password: String? = nil) -> [UInt8] {
        pem { bio in
            guard let password else {
                return PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil)
            }
            return PEM_write_bio_PKCS8PrivateKey(
                bio, key, EVP_aes_128_cbc(), password, Int32(password.utf8.count), nil, nil)
        }
    }

    package var der: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(i2d_X509(certificate, nil)))
        bytes.withUnsafeMutableBufferPointer {
            var cursor = $0.baseAddress
            i2d_X509(certificate, &cursor)
        }
        return bytes
    }

    private func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        precondition(write(bio) == 1, "cannot write PEM text")
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = BIO_read(bio, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}
#endif
