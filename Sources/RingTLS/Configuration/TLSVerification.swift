#if TLS
/// How strictly a side verifies its peer.
public enum TLSVerification: Sendable, Equatable {
    /// No verification. A client has no protection against a man in the middle. A server does not
    /// request client certificates, which is the usual case.
    case none
    /// For servers: a client may present no certificate; one that it presents must be trusted.
    case optional
    /// The peer must present a trusted certificate, for any name. On a server this is mutual TLS.
    case required
    /// For clients: as `required`, and the certificate must match the name or address that the
    /// client connects to.
    case full
}
#endif
