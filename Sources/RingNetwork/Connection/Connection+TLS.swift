#if TLS
internal import LinuxPlatform
public import RingDispatch
public import RingTLS

extension Connection {
    /// A connection over TLS. Its handlers see plaintext, and what is sent is encrypted; see
    /// ``secure(with:serverName:)``.
    /// - Parameters:
    ///   - descriptor: a connected stream socket, which belongs to the connection from here on: it
    ///     is closed when this throws.
    ///   - serverName: for clients; see `TLSEngine`.
    public convenience init(
        adopting descriptor: Int32, label: String = "connection", target: DispatchQueue? = nil,
        options: ConnectionOptions = ConnectionOptions(), tls: TLSContext,
        serverName: String? = nil
    ) throws(TLSError) {
        self.init(adopting: descriptor, label: label, target: target, options: options)
        try secure(with: tls, serverName: serverName)
    }

    /// Puts TLS between the connection and its socket; before `activate`, which begins the
    /// handshake.
    ///
    /// What is sent before the handshake has ended waits for its end. `closeOutput` and `close`
    /// say goodbye (close_notify). The peer's goodbye is the end of what it sends; a stream that
    /// ends without it was cut off, which closes the connection with
    /// ``CloseReason/tlsFailed(_:)``, as all that goes wrong in TLS does. A peer that makes this
    /// side work without sending anything (256 KiB of handshake, 128 KiB without content later) is
    /// cut off, too; ``ConnectionTimeouts/handshake`` limits the handshake's time. The water marks
    /// count encrypted bytes, and those that are still to be encrypted.
    /// - Parameter serverName: for clients: whom to reach; see `TLSEngine`.
    /// - Throws: what keeps the context from being used with that name.
    public func secure(
        with context: TLSContext, serverName: String? = nil
    ) throws(TLSError) {
        guard phase == .setup, extras?.layer == nil, outgoing.isEmpty, counters.bytesSent == 0
        else {
            fatalMisuse(
                "secure of connection '\(queue.label)', which is activated, secured, or has sent")
        }
        let engine = try TLSEngine(context: context, serverName: serverName)
        makeExtras().layer = TLSLayer(engine)
        isSecured = true
        updateReceiveLimit()
    }

    /// Called once when the handshake has ended, with what was agreed on, before the first bytes
    /// are handed over.
    public func setHandshakeHandler(_ handler: ((Connection, TLSNegotiation) -> Void)?) {
        onQueue { connection in
            guard let handler else {
                connection.extras?.handshake = nil
                return
            }
            connection.makeExtras().handshake = { connection in
                if let negotiation = connection.tlsNegotiation { handler(connection, negotiation) }
            }
        }
    }

    private var engine: TLSEngine? { (extras?.layer as? TLSLayer)?.engine }

    /// The version, cipher, application protocol and server name that were agreed on; nil without
    /// TLS and before the handshake has ended. On the queue, up to the close handler.
    public var tlsNegotiation: TLSNegotiation? { engine?.negotiation }

    /// The certificates that the peer showed (DER), its own first. They are verified as the
    /// context's configuration says. On the queue, up to the close handler.
    public var peerCertificateChain: [[UInt8]] { engine?.peerCertificateChain() ?? [] }
}
#endif
