#if TLS
internal import CTLS

extension TLSEngine {
    /// The outcome of the handshake; nil until it has ended.
    public var negotiation: TLSNegotiation? { ExitGate.pass { currentNegotiation } }

    private var currentNegotiation: TLSNegotiation? {
        guard SSL_is_init_finished(ssl) == 1, let version = TLSVersion(code: SSL_version(ssl))
        else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        // Safety: the bytes are OpenSSL's and are copied at once.
        let bytes = UnsafeBufferPointer(start: name, count: Int(count))
        return TLSNegotiation(
            version: version,
            cipher: ctls_cipher_name(ssl).map { String(cString: $0) } ?? "",
            applicationProtocol: bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self),
            serverName: serverName, isResumed: SSL_session_reused(ssl) == 1)
    }

    /// The peer's certificates (DER), its own first; empty if it presented none. On a server, a
    /// resumed handshake provides only the peer's own certificate.
    ///
    /// The certificates are verified according to `TLSConfiguration.verification`: with `.none`,
    /// not at all.
    public func peerCertificateChain() -> [[UInt8]] {
        ExitGate.pass {
            let chain = Certificate.ders(SSL_get_peer_cert_chain(ssl))
            let own = SSL_get0_peer_certificate(ssl)
            // On servers OpenSSL's list lacks the peer's own certificate.
            let isWhole = own == nil || (context.configuration.role == .client && !chain.isEmpty)
            return isWhole ? chain : [Certificate.der(own)] + chain
        }
    }
}
#endif
