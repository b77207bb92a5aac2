#if TLS
/// The authorities that a side trusts when it verifies its peer.
public enum TLSTrustRoots: Sendable {
    /// The system's certificate authorities (Debian's package ca-certificates), or those named by
    /// the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    case system
    /// Only the certificates in this PEM text.
    case pem(TLSPEMSource)
    /// No authority: the closure alone decides whether to accept the peer. Dates and names are not
    /// verified. Use it for pinned certificates.
    ///
    /// The closure receives the peer's chain (DER, the peer's own certificate first) and, on a
    /// client, the server's name. It runs inside the engine's `receive`, on the engine's queue, and
    /// must not use the engine.
    case custom(@Sendable (_ chain: [[UInt8]], _ serverName: String?) -> Bool)

    /// Only the certificates in a PEM file.
    public static func file(_ path: String) -> TLSTrustRoots { .pem(.file(path)) }
}
#endif
