#if TLS
/// The outcome of a TLS handshake.
public struct TLSNegotiation: Sendable, Equatable {
    /// The newest version that both sides accept. SSL_version(3).
    public let version: TLSVersion
    /// The cipher suite by OpenSSL's name.
    public let cipher: String
    /// The protocol chosen by ALPN; nil if one side did not use ALPN.
    public let applicationProtocol: String?
    /// On a client the name it connects to; on a server the name that the client requested.
    public let serverName: String?
    /// Whether an earlier session was resumed, without a certificate exchange.
    public let isResumed: Bool
}
#endif
