/// A transport and an endpoint: `tcp://example.org:80`, `udp://[::1]:53`, `unix:/run/app.sock`.
///
/// The scheme names the transport and ignores case; the rest is read as an ``Endpoint``. The text
/// of `description` is read back as the same value.
public struct TransportEndpoint: Sendable, Hashable {
    /// How to reach the endpoint: `unix` if and only if that is a Unix socket.
    public let transport: Transport
    /// Where to connect or to listen.
    public let endpoint: Endpoint

    /// Combines a transport with an endpoint that it can use.
    /// - Throws: ``EndpointError``, if they do not fit: `unix` requires a Unix socket, the others
    ///   an IP endpoint or host.
    public init(_ transport: Transport, _ endpoint: Endpoint) throws {
        guard endpoint.isUnix == (transport == .unix) else {
            throw EndpointError(
                .transportMismatch, endpoint.description.utf8,
                "cannot be reached by \(transport.rawValue)",
                remedy: endpoint.isUnix ? "use the transport unix" : "use the transport tcp or udp")
        }
        self.transport = transport
        self.endpoint = endpoint
    }

    /// Reads `tcp://host:port`, `udp://host:port` or `unix:name`.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        let text = Array(string.utf8)[...]
        if let name = text.after(scheme: UnixAddress.scheme) {
            transport = .unix
            endpoint = .unix(try UnixAddress(textAfterScheme: name))
            return
        }
        let remedy = "begin with tcp://, udp:// or unix:"
        guard let end = text.firstRange(of: "://".utf8) else {
            throw EndpointError(.missingScheme, text, "names no transport", remedy: remedy)
        }
        let scheme = String(decoding: text[..<end.lowerBound].map(\.lowercasedASCII), as: UTF8.self)
        guard let transport = Transport(rawValue: scheme), transport != .unix else {
            throw EndpointError(
                .unknownScheme, text, "has a scheme that names no transport", remedy: remedy)
        }
        self.transport = transport
        endpoint = try Endpoint(hostAndPort: text[end.upperBound...])
    }
}

extension TransportEndpoint: CustomStringConvertible {
    public var description: String {
        transport == .unix ? endpoint.description : "\(transport.rawValue)://\(endpoint)"
    }
}
