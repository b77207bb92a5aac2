#if TLS
public import RingTLS

extension AsyncConnection {
    /// The negotiated version, cipher, application protocol and server name; nil without TLS,
    /// before the handshake has ended, and once the connection is closed. From any task.
    public var tlsNegotiation: TLSNegotiation? {
        get async { await connection.result { $0.tlsNegotiation } }
    }

    /// The peer's certificates (DER), its own first, verified as the context's configuration says;
    /// empty when `tlsNegotiation` is nil. From any task.
    public var peerCertificateChain: [[UInt8]] {
        get async { await connection.result { $0.peerCertificateChain } }
    }
}
#endif
