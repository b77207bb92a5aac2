/// An address to bind or connect a socket to.
///
/// | text | case |
/// |---|---|
/// | `192.0.2.1:80` | `ipv4` |
/// | `[2001:db8::1]:80`, `[fe80::1%eth0]:80` | `ipv6` |
/// | `example.org:80` | `host` |
/// | `unix:/run/app.sock`, `unix:@name` | `unix` |
///
/// `Endpoint("...")` reads these forms strictly: a malformed address is an error, not a host name.
/// `description` writes them, and its text is read back as the same endpoint.
public enum Endpoint: Sendable, Hashable {
    // Indirect where it is large: each connection has two.
    /// An IPv4 address and a port. ip(7).
    case ipv4(IPv4Address, port: UInt16)
    /// The zone names the link of a link-local address.
    indirect case ipv6(IPv6Address, port: UInt16, zone: InterfaceZone? = nil)
    /// Must be resolved before use; see ``Resolver``.
    indirect case host(HostName, port: UInt16)
    /// A Unix socket, by its path or abstract name. unix(7).
    case unix(UnixAddress)

    /// An address and a port, without a zone.
    public init(_ address: IPAddress, port: UInt16) {
        switch address {
        case .v4(let address): self = .ipv4(address, port: port)
        case .v6(let address): self = .ipv6(address, port: port)
        }
    }

    /// - Parameters:
    ///   - host: an IPv4 address, an IPv6 address with or without a zone but without brackets, or a
    ///     host name.
    ///   - port: 0 lets the kernel choose one, for servers.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(host: String, port: UInt16) throws {
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

    /// Nil for an unresolved host and for a Unix socket.
    public var ipAddress: IPAddress? {
        switch self {
        case .ipv4(let address, _): .v4(address)
        case .ipv6(let address, _, _): .v6(address)
        case .host, .unix: nil
        }
    }

    /// The same host with another port; a Unix socket is returned unchanged.
    public func withPort(_ port: UInt16) -> Endpoint {
        switch self {
        case .ipv4(let address, _): .ipv4(address, port: port)
        case .ipv6(let address, _, let zone): .ipv6(address, port: port, zone: zone)
        case .host(let name, _): .host(name, port: port)
        case .unix: self
        }
    }
}
