#if TLS

/// The certificate and private key that identify one side to its peer.
public struct TLSIdentity: Sendable, Equatable {
    /// The side's own certificate, followed by the intermediate certificates, without the root.
    public var certificateChain: TLSPEMSource
    /// The key of the first certificate.
    public var privateKey: TLSPEMSource
    /// The password of an encrypted private key.
    public var password: String?

    /// Creates an identity. Nothing is read or checked before a ``TLSContext`` is made of it.
    /// - Parameters:
    ///   - certificateChain: the side's own certificate first, then the intermediate ones.
    ///   - privateKey: the key of the first certificate.
    ///   - password: of an encrypted private key; nil: the key is not encrypted.
    public init(
        certificateChain: TLSPEMSource, privateKey: TLSPEMSource, password: String? = nil
    ) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.password = password
    }

    /// Creates an identity from two PEM files.
    public init(certificateFile: String, keyFile: String, password: String? = nil) {
        self.init(
            certificateChain: .file(certificateFile), privateKey: .file(keyFile),
            password: password)
    }
}
#endif
