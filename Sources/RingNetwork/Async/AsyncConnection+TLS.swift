#if TLS
public import RingTLS

extension AsyncConnection {
    /// The negotiated version, cipher, application protocol and server name; nil without TLS,
    /// before the handshake has ended, and once the connection is closed. From any task.
    public nonisolated(nonsending) var tlsNegotiation: TLSNegotiation? {
        get async { await read { $0.tlsNegotiation } }
    }

    /// The peer's certificates (DER), its own first, verified as the context's configuration says;
    /// empty when `tlsNegotiation` is nil. From any task.
    public nonisolated(nonsending) var peerCertificateChain: [[UInt8]] {
        get async { await read { $0.peerCertificateChain } }
    }

    private nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @Sendable (Connection) -> Value
    ) async -> Value {
        guard isCurrent() else { return await call { await $0.read(body) } }
        return body(connection)
    }
}
#endif
