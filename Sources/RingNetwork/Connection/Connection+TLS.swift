#if TLS
internal import LinuxPlatform
internal import RingDispatch
public import RingTLS

extension Connection {
    /// Puts TLS between the connection and its socket: its handlers receive plaintext, and sent
    /// bytes are encrypted. Call it before `activate`, which starts the handshake.
    ///
    /// Bytes sent before the end of the handshake wait for it. `closeOutput` and `close` send
    /// close_notify. A received close_notify ends the peer's stream; a stream that ends without it
    /// was truncated. A truncated stream, like every TLS failure, closes the connection with
    /// ``CloseReason/tlsFailed(_:)``. A peer that causes work without sending content (256 KiB of
    /// handshake, or later 128 KiB without content) is disconnected, and
    /// ``ConnectionTimeouts/handshake`` limits the time of the handshake. The water marks count
    /// both encrypted bytes and bytes that are still to be encrypted.
    /// - Parameters:
    ///   - context: decides the role: server or client.
    ///   - serverName: for clients: the name that the peer must have; see `TLSEngine`.
    /// - Throws: `TLSError`, the reason why the context cannot be used with that name.
    public func secure(with context: TLSContext, serverName: String? = nil) throws {
        try secure(context, serverName)
    }

    func secure(_ context: TLSContext, _ serverName: String?) throws(TLSError) {
        guard isInSetup, confined.security == nil, confined.outgoing.isEmpty,
            counters.bytesSent.value == 0
        else {
            fatalMisuse(
                "secure of connection '\(queue.label)' after activate, secure, or send")
        }
        let engine = try TLSEngine(context, serverName)
        confined.security = TLSLayer(engine)
        _ = makeIntake()
        // The time-out of the handshake is on by default.
        _ = makeClock()
    }

    /// Sets the handler that runs once, on the queue, when the handshake has ended and before the
    /// first bytes are delivered.
    public func setHandshakeHandler(
        _ handler: sending ((Connection, TLSNegotiation) -> Void)?
    ) {
        onQueue { $0.settableHandlers.handshake = handler }
    }

    /// The handshake has ended.
    func reportHandshake() {
        if let negotiation = engine?.negotiation { confined.handlers.handshake?(self, negotiation) }
    }

    private var engine: TLSEngine? { (confined.security as? TLSLayer)?.engine }

    /// The negotiated version, cipher, application protocol and server name; nil without TLS and
    /// before the handshake has ended. On the queue, up to the close handler.
    public var tlsNegotiation: TLSNegotiation? {
        checkCurrent()
        return engine?.negotiation
    }

    /// The peer's certificates (DER), its own first, verified as the context's configuration says.
    /// On the queue, up to the close handler.
    public var peerCertificateChain: [[UInt8]] {
        checkCurrent()
        return engine?.peerCertificateChain() ?? []
    }
}
#else
extension Connection {
    func reportHandshake() {}
}
#endif
