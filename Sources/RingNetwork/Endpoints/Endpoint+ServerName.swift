#if TLS
extension Endpoint {
    /// The name that a server's certificate must have: the host name without a trailing dot, which
    /// only excludes search domains, or the address; nil for a Unix socket.
    var serverName: String? {
        switch self {
        case .ipv4(let address, _): address.description
        case .ipv6(let address, _, _): address.description
        case .host(let host, _): host.name.hasSuffix(".") ? String(host.name.dropLast()) : host.name
        case .unix: nil
        }
    }
}
#endif
