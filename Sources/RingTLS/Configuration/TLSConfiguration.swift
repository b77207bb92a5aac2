#if TLS
/// The settings of one side of TLS connections. A `TLSContext` copies them: later changes have no
/// effect on it.
///
/// The defaults are safe: TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers, and
/// clients verify the server's certificate and name. Renegotiation, compression and early data are
/// off and cannot be enabled.
public struct TLSConfiguration: Sendable {
    /// The side of the connection.
    public enum Role: Sendable, Equatable {
        /// The side that opens the connection and sends the ClientHello.
        case client
        /// The side that accepts the connection and presents a certificate.
        case server
    }

    /// The side that the settings are for. A context of one role makes engines of that role only.
    public let role: Role
    /// The certificate and key that this side presents. Servers need one; clients need one if the
    /// server requests it.
    public var identity: TLSIdentity?
    /// The oldest accepted version.
    public var minimumVersion = TLSVersion.tls12
    /// The newest accepted version.
    public var maximumVersion = TLSVersion.tls13
    /// The ciphers for TLS 1.2, in the syntax of ciphers(1).
    public var cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// The cipher suites for TLS 1.3, separated by colons. Nil: all of OpenSSL's defaults.
    public var cipherSuites: String?
    /// Application protocols (ALPN, RFC 7301), the preferred one first. The server's order decides.
    /// A server with a list rejects clients whose lists have no match, and accepts clients without
    /// ALPN.
    public var applicationProtocols: [String] = []
    /// The authorities to verify the peer with.
    public var trustRoots = TLSTrustRoots.system
    /// How the peer is verified.
    public var verification: TLSVerification
    /// For servers: the contexts for other server names (SNI).
    public var serverNames: TLSServerNames?
    /// Whether sessions are resumed: servers issue tickets, and clients keep them by server name in
    /// their context. Ticket keys belong to the context and change when it is replaced.
    public var resumesSessions = true

    /// A server that requests no client certificates.
    public static func server(identity: TLSIdentity) -> TLSConfiguration {
        TLSConfiguration(role: .server, identity: identity, verification: .none)
    }

    /// A client that verifies the server's certificate and name.
    public static func client(identity: TLSIdentity? = nil) -> TLSConfiguration {
        TLSConfiguration(role: .client, identity: identity, verification: .full)
    }
}
#endif
