#if TLS
/// How much a side wants to know about its peer.
public enum TLSVerification: Sendable, Equatable {
    /// Any peer will do. On a client this gives no protection from somebody in the middle; on a
    /// server it is usual: clients are not asked for certificates.
    case none
    /// For servers: a client need not show a certificate, but one that it shows must be trusted.
    case optional
    /// The peer must show a certificate that is trusted, for whatever name. On a server this is
    /// mutual TLS.
    case required
    /// For clients: as `required`, and the certificate must be for the name or address that the
    /// client connects to.
    case full
}
#endif
