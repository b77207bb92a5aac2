#if TLS
package import RingTLS

/// The certificates that tests share; made once for a run.
package enum TestIdentities {
    package static let authority = makeAuthority("Test authority")
    package static let otherAuthority = makeAuthority("Another authority")

    /// For `localhost` and 127.0.0.1.
    package static let server = issue(CertificateRequest())
    package static let client = issue(CertificateRequest(name: "client", alternativeNames: nil))

    package static func makeAuthority(_ name: String) -> Issued {
        Issued(CertificateRequest(name: name, alternativeNames: nil, isAuthority: true))
    }

    package static func issue(_ request: CertificateRequest, by issuer: Issued = authority)
        -> Issued
    {
        Issued(request, issuer: issuer)
    }
}

extension Issued {
    package var identity: TLSIdentity {
        TLSIdentity(certificateChain: .bytes(certificatePEM), privateKey: .bytes(keyPEM()))
    }

    package var trust: TLSTrustRoots { .pem(.bytes(certificatePEM)) }
}

/// Matching configurations for both sides, which tests modify.
package func serverConfiguration(_ issued: Issued = TestIdentities.server) -> TLSConfiguration {
    TLSConfiguration.server(identity: issued.identity)
}

package func clientConfiguration() -> TLSConfiguration {
    var configuration = TLSConfiguration.client()
    configuration.trustRoots = TestIdentities.authority.trust
    return configuration
}
#endif
