public import RingDispatch
#if TLS
public import RingTLS
#endif

/// Options of a ``Connector``.
public struct ConnectorOptions: Sendable {
    /// The time after which the next address is tried, too: the Connection Attempt Delay of RFC
    /// 8305, which recommends 250 ms. 0 or less: all at once. `.never`: when the last one failed.
    public var attemptDelay = DispatchTimeInterval.milliseconds(250)
    /// The time limit for the whole attempt, including the name lookup. 0 or less: it fails at
    /// once. `.never`: the kernel's limit for each address, about two minutes.
    public var timeout = DispatchTimeInterval.seconds(30)
    /// The local address, with a port or 0 for any; nil: the kernel chooses. Only remote addresses
    /// of the same family are tried. For a Unix socket an abstract name; a path is an error: its
    /// file would stay.
    public var localEndpoint: Endpoint?
    /// Options of the sockets, set before they are bound or connected.
    public var socket = SocketOptions()
    /// The resolver for host names.
    public var resolver = Resolver.shared
    /// One queue for all connections: their handlers run one at a time, and may use each other's
    /// connections; one that blocks delays all of them. nil: a queue each: they run concurrently.
    public var placement: ConnectionPlacement?
    /// Options of the connections.
    public var connection = ConnectionOptions()
    #if TLS
    /// Puts connections over TLS; the handshake starts when they are activated. See
    /// ``Connection/secure(with:serverName:)``. nil: plain connections. A context never changes:
    /// to renew the client's certificate, make a new connector.
    public var tls: TLSContext?
    /// The name that the server's certificate must have; nil: the endpoint's host name or address.
    public var tlsServerName: String?
    #endif

    /// The defaults: any local address, 30 s for the whole attempt, a queue for each connection.
    public init() {}
}
