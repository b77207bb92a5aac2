#if TLS
internal import CTLS

/// What the two sides of a connection have agreed on.
public struct TLSNegotiation: Sendable, Equatable {
    public let version: TLSVersion
    /// OpenSSL's name for the cipher suite.
    public let cipher: String
    /// ALPN; nil when one side did not use it.
    public let applicationProtocol: String?
    /// On a client the name it connects to; on a server the one that the client named.
    public let serverName: String?
    /// Whether an earlier session was taken up, without certificates.
    public let isResumed: Bool
}
#endif
