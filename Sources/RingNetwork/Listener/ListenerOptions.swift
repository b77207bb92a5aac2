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
    /// The mode of a Unix socket's file, such as 0o660, whatever the umask; nil: what the umask
    /// leaves. The file never has a wider one in between.
    public var unixSocketMode: UInt32?
    /// Whether the file that a Unix socket left behind is replaced, instead of an error: only if it
    /// is a socket's, and nobody answers there. Two servers that begin at the same moment may both
    /// find that nobody does, so that the later one wins.
    public var replacesStaleUnixSocket = false
    /// Most connections that are open at once, those of all endpoints together; further ones wait
    /// in the backlog until one closes.
    public var connectionLimit = Int.max
    /// Most connections that are open at once of one peer: an IPv4 address, or the addresses that
    /// begin with the same ``ipv6PeerPrefixLength`` bits. Further ones are reset. Those of Unix
    /// sockets have no peer.
    public var connectionLimitPerPeer = Int.max
    /// As many bits as one customer is usually given; 0 to 128.
    public var ipv6PeerPrefixLength = 64
    /// How many connections are accepted in a time; further ones wait in the backlog. nil: any.
    public var acceptRate: AcceptRate?
    /// Options of the listening sockets. Accepted ones inherit TCP_NODELAY and most others.
    public var socket = SocketOptions()
    /// The target of the connections' queues; nil: none, each runs by itself.
    public var connectionTarget: DispatchQueue?
    public var connection = ConnectionOptions()
    #if TLS
    /// Connections are over TLS, each with the context that is the store's when it is accepted; see
    /// ``Connection/secure(with:serverName:)``. nil: they are plain.
    public var tls: TLSContextStore?
    #endif

    public init() {}
}
