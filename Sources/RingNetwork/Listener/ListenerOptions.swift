public import RingDispatch
#if TLS
public import RingTLS
#endif

/// How a ``Listener`` accepts.
public struct ListenerOptions: Sendable {
    /// Connections that wait to be accepted, at most; nil: as many as the kernel allows
    /// (net.core.somaxconn). listen(2).
    public var backlog: Int?
    /// Whether the address may be bound while connections of an earlier server linger
    /// (SO_REUSEADDR).
    public var reusesAddress = true
    /// Whether several sockets may share the port (SO_REUSEPORT).
    public var reusesPort = false
    /// Whether an IPv6 endpoint takes IPv6 only. When false, `[::]` serves IPv4, too.
    public var isIPv6Only = false
    /// Most connections that are open at once; further ones wait in the backlog until one closes.
    public var connectionLimit = Int.max
    /// Small messages go out at once (TCP_NODELAY).
    public var sendsAtOnce = true
    /// The target of the connections' queues; nil: none, each runs by itself.
    public var connectionTarget: DispatchQueue?
    public var connection = ConnectionOptions()
    #if TLS
    /// Connections are over TLS, each with the context that is the store's when it is accepted; see
    /// ``Connection/secure(with:serverName:)``. nil: they are plain.
    public var tls: TLSContextStore?
    #endif
    /// Called with the socket before it is bound, for options that have no name here.
    /// setsockopt(2).
    public var prepareSocket: @Sendable (Int32) -> Void = { _ in }

    public init() {}
}
