#if TLS
import RingTLS

/// The certificates that tests share; made once for a run.
enum TestIdentities {
    static let authority = makeAuthority("Test authority")
    static let otherAuthority = makeAuthority("Another authority")

    /// For `localhost` and 127.0.0.1.
    static let server = issue(CertificateRequest())
    static let client = issue(CertificateRequest(name: "client", alternativeNames: nil))

    static func makeAuthority(_ name: String) -> Issued {
        Issued(CertificateRequest(name: name, alternativeNames: nil, isAuthority: true))
    }

    static func issue(_ request: CertificateRequest, by issuer: Issued = authority) -> Issued {
        Issued(request, issuer: issuer)
    }
}

extension Issued {
    var identity: TLSIdentity {
        TLSIdentity(certificateChain: .bytes(certificatePEM), privateKey: .bytes(keyPEM()))
    }

    var trust: TLSTrustRoots { .pem(.bytes(certificatePEM)) }
}

/// Matching configurations for both sides, which tests modify.
func serverConfiguration(_ issued: Issued = TestIdentities.server) -> TLSConfiguration {
    TLSConfiguration.server(identity: issued.identity)
}

func clientConfiguration() -> TLSConfiguration {
    var configuration = TLSConfiguration.client()
    configuration.trustRoots = TestIdentities.authority.trust
    return configuration
}
#endif
