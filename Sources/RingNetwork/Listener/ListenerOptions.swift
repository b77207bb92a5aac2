#if TLS
public import RingTLS
#endif

/// Options of a ``Listener``.
public struct ListenerOptions: Sendable {
    /// Most connections that wait to be accepted. nil, a negative number, and a larger one: the
    /// kernel's limit (net.core.somaxconn). listen(2).
    public var backlog: Int?
    /// Whether the address may be bound while connections of an earlier server linger
    /// (SO_REUSEADDR).
    public var reusesAddress = true
    /// Whether several sockets of one user may share the port (SO_REUSEPORT). No effect on Unix
    /// sockets.
    public var reusesPort = false
    /// Whether an IPv6 endpoint accepts IPv6 only. When false, `[::]` serves IPv4, too; `0.0.0.0`
    /// with the same port then fails with EADDRINUSE.
    public var isIPv6Only = false
    /// The mode of a Unix socket's file, such as 0o660, regardless of the umask; nil: the umask
    /// decides. The file never has a wider mode, not even briefly.
    public var unixSocketMode: UInt32?
    /// Whether a stale Unix socket file is replaced instead of causing an error. It is stale if no
    /// server answers there: without this, a server cannot start again after it was killed. If two
    /// servers start at the same moment, both may find it stale; then the later one wins.
    public var replacesStaleUnixSocket = true
    /// Most open connections of all endpoints together; further ones wait in the backlog until one
    /// closes. 0 or less: none is accepted. Above RLIMIT_NOFILE, descriptors run out first: see
    /// ``Listener``.
    public var connectionLimit = Int.max
    /// Most open connections per peer: an IPv4 address, or all IPv6 addresses with the same first
    /// 64 bits, which providers usually assign to one customer. Further ones are reset; 0 or less:
    /// all are. Unix sockets are not limited. Behind a proxy, all clients are one peer: leave it at
    /// `.max` there.
    public var connectionLimitPerPeer = Int.max
    /// The rate of accepting; further connections wait in the backlog. nil: unlimited.
    public var acceptRate: AcceptRate?
    /// Options of the listening sockets. Accepted sockets inherit TCP_NODELAY and most others.
    public var socket = SocketOptions()
    /// One queue for all connections: their handlers run one at a time, and may use each other's
    /// connections; one that blocks delays all of them. The connection handler still runs on the
    /// listener's queue: make the listener with the same queue as its target if the handler uses
    /// what belongs to all. nil: a queue each, so they run concurrently; its label names the
    /// listener's endpoint, as in `connection of 127.0.0.1:7007`.
    public var placement: ConnectionPlacement?
    /// Options of the accepted connections.
    public var connection = ConnectionOptions()
    #if TLS
    /// Puts connections over TLS, each with the store's context at the time it is accepted; see
    /// ``Connection/secure(with:serverName:)``. nil: plain connections. Its `reload` renews the
    /// certificates.
    public var tls: TLSContextStore?
    #endif

    /// The defaults: no limits, a queue for each connection, and plain connections.
    public init() {}
}
