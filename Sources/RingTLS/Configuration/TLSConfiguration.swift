#if TLS
/// All settings of one side. A `TLSContext` is made from it and does not change with it later.
///
/// The defaults are safe: TLS 1.2 and 1.3 with forward secrecy and authenticated ciphers, clients
/// verify the server's certificate and name. Renegotiation, compression and early data are off and
/// cannot be turned on.
public struct TLSConfiguration: Sendable {
    /// Which side of the connection it is for.
    public enum Role: Sendable, Equatable {
        case client
        case server
    }

    public let role: Role
    /// The certificate and key that are shown to the peer. A server needs one; a client needs one
    /// where servers ask for it.
    public var identity: TLSIdentity?
    /// The oldest version that is accepted.
    public var minimumVersion = TLSVersion.tls12
    /// The latest version that is offered.
    public var maximumVersion = TLSVersion.tls13
    /// The ciphers for TLS 1.2, as ciphers(1) writes them.
    public var cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20"
    /// The cipher suites for TLS 1.3, separated by colons; nil: OpenSSL's default, all of them.
    public var cipherSuites: String?
    /// Application protocols (ALPN, RFC 7301), the preferred one first. The server's order counts.
    /// A server with a list refuses clients that offer none of it, and accepts those that do not
    /// use ALPN.
    public var applicationProtocols: [String] = []
    /// Whom to believe when the peer is verified.
    public var trustRoots = TLSTrustRoots.system
    /// How the peer is verified.
    public var verification: TLSVerification
    /// For servers: other contexts for other names.
    public var serverNames: TLSServerNames?
    /// Whether sessions are resumed: servers issue tickets, clients keep them for each name in
    /// their context. The keys of tickets belong to the context: they change when it is replaced.
    public var resumesSessions = true

    private init(role: Role, identity: TLSIdentity?, verification: TLSVerification) {
        self.role = role
        self.identity = identity
        self.verification = verification
    }

    /// A server that does not ask its clients for certificates.
    public static func server(identity: TLSIdentity) -> TLSConfiguration {
        TLSConfiguration(role: .server, identity: identity, verification: .none)
    }

    /// A client that verifies its server in full.
    public static func client(identity: TLSIdentity? = nil) -> TLSConfiguration {
        TLSConfiguration(role: .client, identity: identity, verification: .full)
    }
}
#endif
