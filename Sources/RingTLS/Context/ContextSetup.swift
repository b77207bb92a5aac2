#if TLS
internal import CTLS

/// Applies a configuration to a new SSL_CTX.
struct ContextSetup {
    /// The limit for a peer's certificate chain, in bytes.
    static let certificateListLimit = 64 * 1024

    let handle: OpaquePointer
    let configuration: TLSConfiguration
    /// In wire format.
    let applicationProtocols: [UInt8]

    /// Returns warnings about the identity.
    func apply() throws(TLSError) -> [String] {
        OpenSSLErrors.clear()
        try protocols()
        try ciphers()
        try sessions()
        try trust()
        guard let identity = configuration.identity else { return [] }
        return try show(identity)
    }

    private func check(_ result: Int, _ message: String, _ remedy: String) throws(TLSError) {
        if result == 1 { return }
        throw TLSError(
            .configuration, message, detail: OpenSSLErrors.take().text, remedy: remedy)
    }

    private func protocols() throws(TLSError) {
        SSL_CTX_set_options(handle, CTLS_OPTIONS)
        // SSL_MODE_RELEASE_BUFFERS: an idle connection frees its buffers, 17 KiB for each
        // direction. SSL_MODE_NO_AUTO_CHAIN: the peer receives the identity's chain, not one that
        // OpenSSL builds from the trust roots.
        ctls_context_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN))
        ctls_context_set_maximum_certificate_list(handle, Self.certificateListLimit)
        let remedy = "see MinProtocol and MaxProtocol in OpenSSL's configuration file"
        try check(
            ctls_context_set_minimum(handle, configuration.minimumVersion.code),
            "\(configuration.minimumVersion) is refused as the minimum", remedy)
        try check(
            ctls_context_set_maximum(handle, configuration.maximumVersion.code),
            "\(configuration.maximumVersion) is refused as the maximum", remedy)
        if configuration.role == .server || applicationProtocols.isEmpty { return }
        // SSL_CTX_set_alpn_protos returns 0 on success.
        let count = UInt32(applicationProtocols.count)
        try check(
            SSL_CTX_set_alpn_protos(handle, applicationProtocols, count) == 0 ? 1 : 0,
            "the application protocols are refused", "see the names in applicationProtocols")
    }

    private func ciphers() throws(TLSError) {
        try check(
            Int(SSL_CTX_set_cipher_list(handle, configuration.cipherList)),
            "no cipher of '\(configuration.cipherList)' can be used",
            "see 'openssl ciphers -v' for the names in cipherList")
        guard let suites = configuration.cipherSuites else { return }
        try check(
            Int(SSL_CTX_set_ciphersuites(handle, suites)),
            "the cipher suites '\(suites)' cannot be used",
            "see 'openssl ciphers -v -tls1_3' for the names in cipherSuites")
    }

    private func sessions() throws(TLSError) {
        let resumes = configuration.resumesSessions
        switch configuration.role {
        case .client:
            let mode = SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
            ctls_context_set_cache_mode(handle, Int(resumes ? mode : SSL_SESS_CACHE_OFF))
        case .server:
            // With tickets, the clients store the sessions: the server's memory does not grow with
            // them.
            ctls_context_set_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
            // Each context has its own session ID context. A session verified by one context must
            // not be valid in another that demands more (a certificate, another authority),
            // although contexts chosen by SNI may share ticket keys.
            var identifier = [UInt8](repeating: 0, count: 32)
            try check(
                Int(RAND_bytes(&identifier, 32)), "no random bytes",
                "see whether the system's random source works")
            SSL_CTX_set_session_id_context(handle, identifier, 32)
        }
        if !resumes {
            SSL_CTX_set_options(handle, CTLS_NO_TICKET)
            SSL_CTX_set_num_tickets(handle, 0)
        }
    }

    private func trust() throws(TLSError) {
        let mode: Int32
        switch configuration.verification {
        case .none: mode = SSL_VERIFY_NONE
        case .optional: mode = SSL_VERIFY_PEER
        case .required, .full: mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
        }
        SSL_CTX_set_verify(handle, mode, nil)
        if mode == SSL_VERIFY_NONE { return }
        switch configuration.trustRoots {
        case .custom: break
        case .system:
            try check(
                Int(SSL_CTX_set_default_verify_paths(handle)),
                "the system's certificate authorities cannot be used",
                "install ca-certificates, or set trustRoots")
        case .pem(let source):
            let store = SSL_CTX_get_cert_store(handle)
            for certificate in try PEMText(source).certificates() {
                // X509_STORE_add_cert retains the certificate, and accepts duplicates.
                try check(
                    Int(X509_STORE_add_cert(store, certificate.handle)),
                    "a certificate in \(source.name) cannot be a root", "remove it")
                // The server sends this list, so that clients can choose a matching certificate.
                if configuration.role == .server {
                    SSL_CTX_add_client_CA(handle, certificate.handle)
                }
            }
        }
    }

    private func show(_ identity: TLSIdentity) throws(TLSError) -> [String] {
        let chain = try PEMText(identity.certificateChain).certificates()
        let key = try PEMText(identity.privateKey).privateKey(password: identity.password)
        defer { EVP_PKEY_free(key) }
        let own = chain[0]
        OpenSSLErrors.clear()
        if X509_check_private_key(own.handle, key) != 1 {
            throw TLSError(
                .keyMismatch,
                "the private key in \(identity.privateKey.name) does not match the first "
                    + "certificate in \(identity.certificateChain.name) (\(own.subject))",
                detail: OpenSSLErrors.take().text,
                remedy: "give the key the certificate was issued for, and the own certificate "
                    + "before those of authorities")
        }
        let remedy = "use a key of 2048 bits or more for RSA, and a signature with SHA-256"
        try check(
            Int(SSL_CTX_use_certificate(handle, own.handle)),
            "the certificate in \(identity.certificateChain.name) is refused", remedy)
        try check(
            Int(SSL_CTX_use_PrivateKey(handle, key)),
            "the private key in \(identity.privateKey.name) is refused", remedy)
        for issuer in chain.dropFirst() {
            try check(
                ctls_context_add_chain(handle, issuer.handle),
                "a certificate in \(identity.certificateChain.name) is refused", remedy)
        }
        return chain.flatMap { certificate -> [String] in
            let place = "\(certificate.subject) in \(identity.certificateChain.name)"
            if certificate.isExpired {
                return ["certificate \(place) has expired: peers will refuse it; renew it"]
            }
            if certificate.isNotYetValid {
                return ["certificate \(place) is not valid yet; see whether the clock is right"]
            }
            return []
        }
    }
}
#endif
