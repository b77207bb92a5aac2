/// Where a socket is bound or connected to.
///
/// | text | case |
/// |---|---|
/// | `192.0.2.1:80` | `ipv4` |
/// | `[2001:db8::1]:80`, `[fe80::1%eth0]:80` | `ipv6` |
/// | `example.org:80` | `host` |
/// | `unix:/run/app.sock`, `unix:@name` | `unix` |
///
/// `Endpoint("...")` reads these forms, strictly: what looks like an address and is none is an
/// error, not a host's name. `description` writes them, and what it writes is read back as the same
/// endpoint. With `tcp://` or `udp://` before it the text is a ``TransportEndpoint``'s.
public enum Endpoint: Sendable, Hashable {
    case ipv4(IPv4Address, port: UInt16)
    /// The zone says on which link a link-local address is.
    case ipv6(IPv6Address, port: UInt16, zone: InterfaceZone? = nil)
    /// To be resolved before it can be used: see ``Resolver``.
    case host(HostName, port: UInt16)
    case unix(UnixAddress)

    public init(_ address: IPAddress, port: UInt16) {
        switch address {
        case .v4(let address): self = .ipv4(address, port: port)
        case .v6(let address): self = .ipv6(address, port: port)
        }
    }

    /// - Parameter host: an IPv4 address, an IPv6 address with or without a zone, or a name. IPv6
    ///   addresses have no brackets here.
    public init(host: String, port: UInt16) throws(EndpointError) {
        let text = Array(host.utf8)[...]
        self =
            text.contains(UInt8(ascii: ":"))
            ? try Endpoint(ipv6: text, port: port) : try Endpoint(nameOrIPv4: text, port: port)
    }

    package var isUnix: Bool {
        if case .unix = self { true } else { false }
    }

    /// Nil for a Unix socket.
    public var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port, _), .host(_, let port): port
        case .unix: nil
        }
    }

    /// Nil for a name that is not resolved, and for a Unix socket.
    public var ipAddress: IPAddress? {
        switch self {
        case .ipv4(let address, _): .v4(address)
        case .ipv6(let address, _, _): .v6(address)
        case .host, .unix: nil
        }
    }

    /// The same host with another port; a Unix socket stays what it is.
    public func withPort(_ port: UInt16) -> Endpoint {
        switch self {
        case .ipv4(let address, _): .ipv4(address, port: port)
        case .ipv6(let address, _, let zone): .ipv6(address, port: port, zone: zone)
        case .host(let name, _): .host(name, port: port)
        case .unix: self
        }
    }
}
