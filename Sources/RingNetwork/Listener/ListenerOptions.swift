public import RingDispatch
#if TLS
public import RingTLS
#endif

/// Options of a ``Listener``.
public struct ListenerOptions: Sendable {
    /// Most connections that wait to be accepted; nil: the kernel's limit (net.core.somaxconn).
    /// listen(2).
    public var backlog: Int?
    /// Whether the address may be bound while connections of an earlier server linger
    /// (SO_REUSEADDR).
    public var reusesAddress = true
    /// Whether several sockets may share the port (SO_REUSEPORT).
    public var reusesPort = false
    /// Whether an IPv6 endpoint accepts IPv6 only. When false, `[::]` serves IPv4, too.
    public var isIPv6Only = false
    /// The mode of a Unix socket's file, such as 0o660, regardless of the umask; nil: the umask
    /// decides. The file never has a wider mode, not even briefly.
    public var unixSocketMode: UInt32?
    /// Whether a stale Unix socket file is replaced instead of causing an error. It is stale if no
    /// server answers there. If two servers start at the same moment, both may find it stale; then
    /// the later one wins.
    public var replacesStaleUnixSocket = false
    /// Most open connections of all endpoints together; further ones wait in the backlog until one
    /// closes.
    public var connectionLimit = Int.max
    /// Most open connections per peer: an IPv4 address, or all IPv6 addresses with the same first
    /// ``ipv6PeerPrefixLength`` bits. Further ones are reset. Unix sockets are not limited.
    public var connectionLimitPerPeer = Int.max
    /// The prefix that providers usually assign to one customer; 0 to 128.
    public var ipv6PeerPrefixLength = 64
    /// The rate of accepting; further connections wait in the backlog. nil: unlimited.
    public var acceptRate: AcceptRate?
    /// Options of the listening sockets. Accepted sockets inherit TCP_NODELAY and most others.
    public var socket = SocketOptions()
    /// The target of the connections' queues; nil: none, so connections run concurrently. With a
    /// serial queue, they run one at a time, and a handler that blocks delays all of them.
    public var connectionTarget: DispatchQueue?
    /// Options of the accepted connections.
    public var connection = ConnectionOptions()
    #if TLS
    /// Puts connections over TLS, each with the store's context at the time it is accepted; see
    /// ``Connection/secure(with:serverName:)``. nil: plain connections.
    public var tls: TLSContextStore?
    #endif

    /// The defaults: no limits, a queue for each connection, and plain connections.
    public init() {}
}
