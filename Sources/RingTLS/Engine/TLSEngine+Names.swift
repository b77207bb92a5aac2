#if TLS
internal import CTLS
internal import LinuxPlatform

/// Server names: verification and session resumption on clients, SNI on servers.
extension TLSEngine {
    static func validated(_ name: String) throws(TLSError) -> String {
        let name = TLSServerNames.normalized(name)
        let isPlain = name.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        if isPlain, (1...255).contains(name.utf8.count) { return name }
        throw TLSError(
            .configuration, "the server's name cannot be used in TLS",
            remedy: "give 1 to 255 ASCII characters; write other scripts in their 'xn--' form")
    }

    /// Sets the server's name for verification, SNI and session resumption.
    func expect(_ name: String) throws(TLSError) {
        let address = a2i_IPADDRESS(name)
        defer { ASN1_OCTET_STRING_free(address) }
        let isAddress = address != nil
        var isSet = true
        if context.configuration.verification == .full {
            let parameters = SSL_get0_param(ssl)
            if isAddress {
                isSet = X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
            } else {
                // `*` matches a whole label only.
                let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
                X509_VERIFY_PARAM_set_hostflags(parameters, flags)
                isSet = X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
            }
        }
        // RFC 6066 forbids addresses in SNI.
        if !isAddress { isSet = isSet && ctls_set_server_name(ssl, name) == 1 }
        if !isSet {
            throw TLSError(
                .configuration, "the server's name '\(name)' is refused",
                detail: OpenSSLErrors.take().text, remedy: "give a host name or an address")
        }
        context.sessions?.resume(ssl, for: name)
    }

    /// Switches to the context for the requested name. False ends the handshake. Only for servers.
    func chooseContext(for name: String) -> Bool {
        serverName = name
        guard let names = firstContext.configuration.serverNames else { return true }
        guard let chosen = names.choose(name) else { return !names.refusesUnknownNames }
        if chosen.configuration.role != .server {
            fatalMisuse("TLSServerNames: the context for '\(name)' is a client's")
        }
        return chosen === context || use(chosen)
    }

    /// Switches to `chosen`. SSL_set_SSL_CTX replaces only certificates, authorities and the
    /// ciphers for TLS 1.2; SSL_new copied the other settings, so this method sets them again.
    private func use(_ chosen: TLSContext) -> Bool {
        let handle = chosen.handle
        let configuration = chosen.configuration
        guard SSL_set_SSL_CTX(ssl, handle) != nil else { return false }
        context = chosen
        SSL_set_verify(ssl, SSL_CTX_get_verify_mode(handle), nil)
        SSL_clear_options(ssl, CTLS_NO_TICKET)
        SSL_set_options(ssl, SSL_CTX_get_options(handle))
        SSL_set_num_tickets(ssl, SSL_CTX_get_num_tickets(handle))
        guard ctls_set_minimum(ssl, configuration.minimumVersion.code) == 1,
            ctls_set_maximum(ssl, configuration.maximumVersion.code) == 1
        else { return false }
        if let suites = configuration.cipherSuites {
            return SSL_set_ciphersuites(ssl, suites) == 1
        }
        return SSL_set_ciphersuites(ssl, OSSL_default_ciphersuites()) == 1
    }
}
#endif
