import ArgumentParser

/// Where the server is: `tcp://HOST:PORT`, with an IPv6 address in brackets.
struct Target: Sendable, Equatable {
    let host: String
    let port: UInt16

    private static let scheme = "tcp://"

    /// Nil unless the text has the scheme, a host and a port from 1 to 65535.
    init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let rest = text.dropFirst(Self.scheme.count)
        guard let colon = rest.lastIndex(of: ":"),
            let port = UInt16(rest[rest.index(after: colon)...]), port > 0
        else { return nil }
        var host = rest[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil  // an IPv6 address without brackets: where would its port begin?
        }
        guard !host.isEmpty, !host.contains(where: { "[]/@ ".contains($0) }) else { return nil }
        self.host = String(host)
        self.port = port
    }

    var hostAndPort: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Target: ExpressibleByArgument, CustomStringConvertible {
    init?(argument: String) { self.init(argument) }

    var description: String { Self.scheme + hostAndPort }
}
