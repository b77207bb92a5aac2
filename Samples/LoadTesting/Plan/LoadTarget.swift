public import RingNetwork

/// A server's address and protocol.
///
/// | text | load |
/// |---|---|
/// | `tcp://127.0.0.1:7007` | messages that the server must echo unchanged |
/// | `tls://localhost:7007` | the same over TLS (with the package trait TLS) |
/// | `unix:/run/app.sock`, `unix:@name` | the same over a Unix socket |
/// | `udp://127.0.0.1:7007` | the same in datagrams |
/// | `http://127.0.0.1:8080/path` | HTTP/1.1 requests on persistent connections |
/// | `https://localhost:8443/path` | the same over TLS (with the package trait TLS) |
/// | `resp://127.0.0.1:6379` | commands in Redis's protocol |
public struct LoadTarget: Sendable, Hashable {
    /// The protocols, by their schemes in the table above.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Messages, echoed over TCP.
        case tcp
        /// Messages, echoed over TLS.
        case tls
        /// Messages, echoed over a Unix socket.
        case unix
        /// Messages, echoed in datagrams.
        case udp
        /// Requests over TCP.
        case http
        /// Requests over TLS.
        case https
        /// Commands in Redis's protocol, over TCP.
        case resp
    }

    /// The protocol.
    public let scheme: Scheme
    /// Where the connections go.
    public let endpoint: Endpoint
    /// The path and query of an HTTP target; empty for others.
    public let path: String

    /// Parses one of the forms in the table above.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: text[..<colon].lowercased())
        else {
            throw LoadFailure.usage(
                "'\(text)' is not a target: begin with tcp://, tls://, unix:, udp://, http://, "
                    + "https:// or resp://, as in tcp://127.0.0.1:7007")
        }
        self.scheme = scheme
        if scheme == .unix {
            endpoint = try Self.endpoint(text, of: text)
            path = ""
            return
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            throw LoadFailure.usage("'\(text)': write \(scheme)://HOST:PORT")
        }
        let place = rest.dropFirst(2)
        let isHTTP = scheme == .http || scheme == .https
        let slash = place.firstIndex(of: "/") ?? place.endIndex
        guard isHTTP || slash == place.endIndex else {
            throw LoadFailure.usage("'\(text)' has a path, which only http:// and https:// have")
        }
        path = isHTTP ? (slash == place.endIndex ? "/" : String(place[slash...])) : ""
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw LoadFailure.usage(
                "'\(text)': write spaces and letters beyond ASCII in a path as %20")
        }
        endpoint = try Self.endpoint(
            Self.withPort(String(place[..<slash]), scheme), of: text)
        guard endpoint.port != 0 else {
            throw LoadFailure.usage(
                "'\(text)': port 0 is not valid; name the port that the server listens on")
        }
        if case .unix = endpoint {
            throw LoadFailure.usage("'\(text)': write unix:/path for a Unix socket")
        }
    }

    private static func withPort(_ place: String, _ scheme: Scheme) -> String {
        let host = place.split(separator: "]", omittingEmptySubsequences: false).last ?? ""
        guard !host.contains(":") else { return place }
        return switch scheme {
        case .http: place + ":80"
        case .https: place + ":443"
        default: place
        }
    }

    private static func endpoint(
        _ place: String, of text: String
    ) throws(LoadFailure) -> Endpoint {
        do {
            return try Endpoint(place)
        } catch {
            throw LoadFailure.usage("'\(text)': \(error)")
        }
    }

    var isSecured: Bool { scheme == .tls || scheme == .https }
    var isHTTP: Bool { scheme == .http || scheme == .https }
    /// Whether its messages are a stream of bytes without a protocol.
    var isPlainStream: Bool { scheme == .tcp || scheme == .tls || scheme == .unix }
}

extension LoadTarget: CustomStringConvertible {
    public var description: String {
        scheme == .unix ? endpoint.description : "\(scheme)://\(endpoint)\(path)"
    }

    /// The endpoint as text, without the scheme.
    var place: String { endpoint.description }
}
