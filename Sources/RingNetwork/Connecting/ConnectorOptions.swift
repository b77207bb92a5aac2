public import RingDispatch
#if TLS
public import RingTLS
#endif

/// How a ``Connector`` connects.
public struct ConnectorOptions: Sendable {
    /// How long one address is tried alone before the next one is tried, too: RFC 8305's
    /// Connection Attempt Delay, which recommends 250 ms.
    public var attemptDelay = DispatchTimeInterval.milliseconds(250)
    /// How many addresses of the first family are tried before the first of the other; at least 1.
    public var firstFamilyCount = 1
    /// How long everything may take, the lookup of the name included.
    public var timeout = DispatchTimeInterval.seconds(30)
    /// Where connections come from: an address of this machine, with a port or with 0 for any; nil:
    /// the kernel chooses. Addresses of the other family are not tried then.
    public var localEndpoint: Endpoint?
    public var socket = SocketOptions()
    /// Whom names are looked up by.
    public var resolver = Resolver.shared
    /// The target of the connections' queues; nil: none, each runs by itself.
    public var connectionTarget: DispatchQueue?
    /// One queue for all connections, instead of a queue each.
    public var placement: ConnectionPlacement?
    public var connection = ConnectionOptions()
    #if TLS
    /// Connections are over TLS; the handshake begins when they are activated, see
    /// ``Connection/secure(with:serverName:)``. nil: they are plain.
    public var tls: TLSContext?
    /// Whom the server's certificate has to name; nil: the endpoint's host name or address.
    public var tlsServerName: String?
    #endif

    public init() {}
}
