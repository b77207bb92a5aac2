#if TLS
internal import CTLS

/// A reader of PEM text: certificates, or a private key.
final class PEMText {
    private let source: TLSPEMSource
    private let bio: OpaquePointer

    init(_ source: TLSPEMSource) throws(TLSError) {
        OpenSSLErrors.clear()
        let bio: OpaquePointer?
        switch source {
        case .file(let path):
            bio = BIO_new_file(path, "r")
        case .bytes(let bytes):
            // Safety: BIO_write copies the bytes into the BIO's own memory.
            bio = BIO_new(BIO_s_mem())
            bytes.withUnsafeBytes { bytes in
                _ = BIO_write(bio, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
        guard let bio else {
            let cause = OpenSSLErrors.take().entries.first?.text
            throw TLSError(
                .file, "cannot open \(source.name)", detail: cause,
                remedy: "check the path and who may read the file")
        }
        self.source = source
        self.bio = bio
    }

    deinit { BIO_free(bio) }

    /// All certificates, in order; at least one.
    func certificates() throws(TLSError) -> [Certificate] {
        var list: [Certificate] = []
        OpenSSLErrors.clear()
        while let handle = PEM_read_bio_X509(bio, nil, nil, nil) {
            list.append(Certificate(adopting: handle))
        }
        let errors = OpenSSLErrors.take()
        let isAtEnd = errors.entries.contains {
            $0.library == ERR_LIB_PEM && $0.reason == PEM_R_NO_START_LINE
        }
        if isAtEnd, !list.isEmpty { return list }
        if isAtEnd {
            throw TLSError(
                .certificate, "no certificate in \(source.name)",
                remedy: "give PEM text with '-----BEGIN CERTIFICATE-----'")
        }
        throw TLSError(
            .certificate, "cannot read certificate \(list.count + 1) in \(source.name)",
            detail: errors.text, remedy: "the text may be cut off or changed; issue it again")
    }

    /// The password callback's argument, which records whether OpenSSL asked for a password.
    private final class Password {
        let bytes: [UInt8]?
        var wasAsked = false
        init(_ password: String?) { bytes = password.map { Array($0.utf8) } }
    }

    /// The first private key of the text, an EVP_PKEY. The caller frees it.
    func privateKey(password: String?) throws(TLSError) -> OpaquePointer {
        let password = Password(password)
        OpenSSLErrors.clear()
        // Safety: `password` outlives the call, and the callback runs only during it.
        let handle = PEM_read_bio_PrivateKey(
            bio, nil,
            { buffer, capacity, _, argument in
                guard let buffer, let argument else { return -1 }
                let password = Unmanaged<Password>.fromOpaque(argument).takeUnretainedValue()
                password.wasAsked = true
                guard let bytes = password.bytes, bytes.count <= capacity else { return -1 }
                for (index, byte) in bytes.enumerated() {
                    buffer[index] = CChar(bitPattern: byte)
                }
                return Int32(bytes.count)
            }, Unmanaged.passUnretained(password).toOpaque())
        let errors = OpenSSLErrors.take()
        if let handle { return handle }
        if password.wasAsked {
            let isMissing = password.bytes == nil
            throw TLSError(
                .password,
                isMissing
                    ? "the private key in \(source.name) is encrypted, and no password was given"
                    : "the password for the private key in \(source.name) is wrong",
                detail: errors.text, remedy: "set TLSIdentity.password to the key's password")
        }
        throw TLSError(
            .privateKey, "no private key in \(source.name) that can be read", detail: errors.text,
            remedy: "give PEM text with '-----BEGIN PRIVATE KEY-----'")
    }
}
#endif
