#if TLS
/// Whom a side believes when it verifies its peer.
public enum TLSTrustRoots: Sendable {
    /// The system's certificate authorities (Debian's package ca-certificates), or those that the
    /// environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
    case system
    /// Exactly the certificates in one piece of PEM text.
    case pem(TLSPEMSource)
    /// No authority: the closure decides whether the peer is who it should be, and nothing else is
    /// verified, neither dates nor names. For pinned certificates.
    ///
    /// It is given the peer's chain (DER, the peer's own certificate first) and, on a client, the
    /// server's name. It runs inside of the engine's `receive`, on that queue, and must not use the
    /// engine.
    case custom(@Sendable (_ chain: [[UInt8]], _ serverName: String?) -> Bool)

    /// Exactly the certificates in a PEM file.
    public static func file(_ path: String) -> TLSTrustRoots { .pem(.file(path)) }
}
#endif
