#if TLS

/// What a side of a connection shows to prove who it is: its certificate and the key to it.
public struct TLSIdentity: Sendable, Equatable {
    /// The side's own certificate first, then those that lead to a root, without the root.
    public var certificateChain: TLSPEMSource
    /// The key of the first certificate.
    public var privateKey: TLSPEMSource
    /// For a key that is encrypted.
    public var password: String?

    public init(
        certificateChain: TLSPEMSource, privateKey: TLSPEMSource, password: String? = nil
    ) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
        self.password = password
    }

    /// An identity in two files.
    public init(certificateFile: String, keyFile: String, password: String? = nil) {
        self.init(
            certificateChain: .file(certificateFile), privateKey: .file(keyFile),
            password: password)
    }
}
#endif
