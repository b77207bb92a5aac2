#if TLS
extension Endpoint {
    /// The name that a server's certificate must have; nil for a Unix socket. The engine drops a
    /// trailing dot, which only excludes search domains.
    var serverName: String? {
        if case .host(let host, _) = self { host.name } else { ipAddress?.description }
    }
}
#endif
