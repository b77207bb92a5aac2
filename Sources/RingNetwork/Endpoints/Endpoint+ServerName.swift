#if TLS
extension Endpoint {
    /// Whom a server's certificate has to name: the host as it was asked for, without the dot that
    /// only keeps search domains out, or the address; nil for a Unix socket.
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
